//! Buffers in the place of expanded arrays and temporaries.

use crate::view::{Plans, Proposal, View};
use crate::{Error, Plan, Remark, Result};
use farkas_steps::{self as steps, ArrayAddress, Step, Subject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Buffers of iterations in the place of expanded arrays and of the function's own temporaries: the step `contract` for each that it applies to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {}

impl Plans for Contract {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let mut plan = Plan::none(view.tree());
        let mut program = view.program.clone();
        for (array, named) in view.program.scop.arrays().iter_enumerated() {
            if !named.is_temporary() {
                continue;
            }
            let array = ArrayAddress::of(&program.scop, array);
            let step = Step::Contract(steps::Contract { array });
            let subject = Subject { program: &program, deps: None };
            match step.apply(&subject).map_err(Error::from) {
                Ok(contracted) => program = contracted,
                Err(Error::Step(_)) => continue,
                Err(error) => return Err(error),
            }
            let text =
                format!("each iteration of the outer loops has its own part of {}", named.name);
            remarks.push(Remark { pass: "expand", stmts: Vec::new(), text });
            plan.steps.push(step);
        }
        Ok(Proposal::Steps(plan))
    }
}
