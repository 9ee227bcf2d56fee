#!/usr/bin/env python3
"""An evaluator for `farkas tune` on a Ray cluster.

    farkas tune kernel.c -o best.json --evaluator 'python3 ray_evaluator.py'

Each job is a Ray task that leases its cores for itself, and runs `farkas evaluate` there: programs are compiled, run and compared
by Farkas on the machine of the worker, whose name and compiler stand in the answer. A task whose worker is lost is run again by Ray;
what Ray gives up is answered with an error, and Farkas hands the job out again. docs/evaluators.md describes the lines.

Programs must be on the workers: farkas (its path: $FARKAS, by default `farkas`) and the C compiler. One job runs at a time on a core
only where Ray counts real cores: start workers with --num-cpus, and keep hyper-threads out.
"""

import json
import os
import queue
import subprocess
import sys
import threading

import ray

PROTOCOL = 1


def evaluate(farkas, line):
    """Does one job on this machine; runs on a worker. The answer as a line."""
    environment = dict(os.environ)
    # The job says how many threads there are.
    environment.pop("OMP_NUM_THREADS", None)
    done = subprocess.run(
        [farkas, "evaluate"], input=line, text=True, env=environment, capture_output=True
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise RuntimeError(f"farkas evaluate failed on {os.uname().nodename}: {done.stderr.strip()}")
    return done.stdout.strip()


def jobs_of(stream, arrived):
    """Reads jobs on a thread of their own, so that answers need not wait for the next one."""
    for line in stream:
        if line.strip():
            arrived.put(line)
    arrived.put(None)


def private_output():
    """Standard output for answers alone: Farkas reads it, and Ray prints there, too, when a worker is lost."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def say(answers, message):
    """Writes a line."""
    text = message if isinstance(message, str) else json.dumps(message)
    answers.write(text + "\n")
    answers.flush()


def main():
    answers = private_output()
    farkas = os.environ.get("FARKAS", "farkas")
    # RAY_ADDRESS names the cluster; without it Ray starts one on this machine.
    ray.init(log_to_driver=False, logging_level="error")
    # A worker that is lost takes its task with it: Ray runs it again, on another one.
    remote = ray.remote(max_retries=5)(evaluate)
    slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
    arrived = queue.Queue()
    threading.Thread(target=jobs_of, args=(sys.stdin, arrived), daemon=True).start()
    running = {}
    is_open = True
    while is_open or running:
        try:
            line = arrived.get(timeout=None if not running else 0.02)
        except queue.Empty:
            line = ""
        if line is None:
            is_open = False
        elif line:
            message = json.loads(line)
            if message["message"] == "hello":
                if message["protocol"] != PROTOCOL:
                    sys.exit(f"this is protocol {PROTOCOL}, and not {message['protocol']}")
                say(answers, {"message": "ready", "protocol": PROTOCOL, "slots": slots})
            elif message["message"] == "job":
                # No two jobs share a core: each leases as many as its programs have threads.
                cores = min(message["setup"]["threads"], slots)
                running[remote.options(num_cpus=cores).remote(farkas, line)] = message["id"]
        done, _ = ray.wait(list(running), timeout=0) if running else ([], [])
        for task in done:
            name = running.pop(task)
            try:
                say(answers, ray.get(task))
            except Exception as error:  # Whatever Ray could not mend.
                say(answers, {"message": "error", "id": name, "text": str(error).splitlines()[0]})


if __name__ == "__main__":
    main()
