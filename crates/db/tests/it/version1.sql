-- A database of version 1, with one entry, as the program of that version wrote it. It stays as it is.
PRAGMA application_id = 1181903699;
PRAGMA user_version = 1;
CREATE TABLE machine (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO machine VALUES(1,'amd-zen4');
CREATE TABLE compiler (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    UNIQUE (name, version)
) STRICT;
INSERT INTO compiler VALUES(1,'gcc','14.2.0');
CREATE TABLE program (
    id INTEGER PRIMARY KEY,
    content BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
INSERT INTO program VALUES(1,X'89df675702f2eef3db960b0f2576357b03d4ed4f81733faa04364efcb2cd20c9',replace('void f(int n, double a[n])\n{\n#pragma scop\n    for (int i = 0; i < n; i++)\n        a[i] = 2 * a[i];\n#pragma endscop\n}\n','\n',char(10)));
CREATE TABLE nest (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL,
    normal_form INTEGER NOT NULL,
    elements TEXT NOT NULL,
    size_class TEXT NOT NULL,
    machine INTEGER NOT NULL REFERENCES machine,
    compiler INTEGER NOT NULL REFERENCES compiler,
    UNIQUE (hash, normal_form, elements, size_class, machine, compiler)
) STRICT;
INSERT INTO nest VALUES(1,'5f0c21aa',1,'double','large',1,1);
CREATE TABLE recipe (
    id INTEGER PRIMARY KEY,
    nest INTEGER NOT NULL REFERENCES nest ON DELETE CASCADE,
    program INTEGER NOT NULL REFERENCES program,
    content BLOB NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
INSERT INTO recipe VALUES(1,1,1,X'2f49453f09cfa8f8244eb083ff8e760ffdfd13a1eca9366da67bceaafd169639','{ "recipe": { "steps": [{ "step": "reverse", "loop": "S0.1" }] } }');
CREATE TABLE origin (
    recipe INTEGER NOT NULL REFERENCES recipe ON DELETE CASCADE,
    word TEXT NOT NULL,
    PRIMARY KEY (recipe, word)
) STRICT, WITHOUT ROWID;
INSERT INTO origin VALUES(1,'hand');
INSERT INTO origin VALUES(1,'tune');
CREATE TABLE measurement (
    id INTEGER PRIMARY KEY,
    recipe INTEGER NOT NULL REFERENCES recipe ON DELETE CASCADE,
    content BLOB NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    environment TEXT NOT NULL,
    baseline_threads INTEGER NOT NULL,
    recipe_threads INTEGER NOT NULL
) STRICT;
INSERT INTO measurement VALUES(1,1,X'3f33f92336b15be683fb390819a3602d92481ed56d57fb865101b68a58083086',1795805750,'-O3',1,1);
INSERT INTO measurement VALUES(2,1,X'ec7257f9e70a5278e48769a69a04eac5a5a6614904a9211b83c64a1c06894503',1795852800,'',1,2);
CREATE TABLE sample (
    measurement INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
    of_recipe INTEGER NOT NULL,
    position INTEGER NOT NULL,
    ns INTEGER NOT NULL,
    PRIMARY KEY (measurement, of_recipe, position)
) STRICT, WITHOUT ROWID;
INSERT INTO sample VALUES(1,0,0,820);
INSERT INTO sample VALUES(1,0,1,800);
INSERT INTO sample VALUES(1,0,2,810);
INSERT INTO sample VALUES(1,1,0,400);
INSERT INTO sample VALUES(1,1,1,405);
INSERT INTO sample VALUES(1,1,2,410);
INSERT INTO sample VALUES(2,0,0,815);
INSERT INTO sample VALUES(2,1,0,210);
CREATE TABLE failure (
    id INTEGER PRIMARY KEY,
    recipe INTEGER NOT NULL REFERENCES recipe ON DELETE CASCADE,
    content BLOB NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    threads INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
INSERT INTO failure VALUES(1,1,X'aa538f5d0e2c3044229be249bee968d252aa755c847c682e0f4c874532983ce2',1795806602,'crash',4,'signal 11');
CREATE INDEX nest_machine ON nest (machine);
CREATE INDEX nest_compiler ON nest (compiler);
CREATE INDEX recipe_nest ON recipe (nest);
CREATE INDEX recipe_program ON recipe (program);
CREATE INDEX measurement_recipe ON measurement (recipe);
CREATE INDEX failure_recipe ON failure (recipe);
