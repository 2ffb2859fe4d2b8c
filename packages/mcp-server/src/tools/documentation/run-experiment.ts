import { explanation } from './explanation.ts';

export const runExperiment = explanation({
  name: 'run_experiment',
  title: 'Run an experiment',
  about: 'Tells how to try an application on a dataset with the SDK and score what it answers.',
  packages: { js: 'langsmith', python: 'langsmith' },
  acting: 'start_experiment',
  sections: [
    {
      title: 'A target, data and evaluators',
      text: `
The *target* is what is tried: a function from the inputs of an example to outputs. *data* is the name of a dataset, or examples. An *evaluator* is a function of the inputs, the outputs and the outputs that the example wants. It gives true or false, a number, or an object of key, score and comment; the key is what the score is called.`,
      js: `
import { Client } from "langsmith";
import { evaluate } from "langsmith/evaluation";

const client = new Client();
const target = async ({ question }) => ({ answer: question.includes("order") ? "On its way." : "I don't know." });

function exact({ outputs, referenceOutputs }) {
  return { key: "exact", score: outputs.answer === referenceOutputs?.answer };
}
function brief({ outputs }) {
  return { key: "brief", score: outputs.answer.length <= 20 ? 1 : 0, comment: "Up to 20 characters" };
}

const results = await evaluate(target, {
  client,
  data: "support-questions",
  evaluators: [exact, brief],
  experimentPrefix: "first try",
  maxConcurrency: 4,
});`,
      python: `
from langsmith import Client

client = Client()

def target(inputs: dict) -> dict:
    return {"answer": "On its way." if "order" in inputs["question"] else "I don't know."}

def exact(outputs: dict, reference_outputs: dict) -> bool:
    return outputs["answer"] == (reference_outputs or {}).get("answer")

def brief(outputs: dict) -> dict:
    return {"key": "brief", "score": int(len(outputs["answer"]) <= 20), "comment": "Up to 20 characters"}

results = client.evaluate(
    target,
    data="support-questions",
    evaluators=[exact, brief],
    experiment_prefix="first try",
)`,
    },
    {
      title: 'A judge',
      text: `
A model can judge what no comparison can; wrap the call of it in an evaluator. \`ask\` stands for that call here. The packages openevals and agentevals have prompts for judges ready, of correctness, conciseness and more, and make evaluators of them (\`createLLMAsJudge\`, \`create_llm_as_judge\`), which go into evaluators as they are.`,
      js: `
const ask = async (prompt) => (prompt.includes("don't know") ? "no" : "yes");

async function helpful({ inputs, outputs }) {
  const said = await ask(\`Does this help? Answer yes or no.\\nQuestion: \${inputs.question}\\nAnswer: \${outputs.answer}\`);
  return { key: "helpful", score: said.trim().startsWith("yes"), comment: said };
}`,
      python: `
async def ask(prompt: str) -> str:
    return "no" if "don't know" in prompt else "yes"

async def helpful(inputs: dict, outputs: dict) -> dict:
    said = await ask(f"Does this help? Answer yes or no.\\nQuestion: {inputs['question']}\\nAnswer: {outputs['answer']}")
    return {"key": "helpful", "score": said.strip().startswith("yes"), "comment": said}`,
    },
    {
      title: 'The way to an answer',
      text: 'What an agent did on its way is judged like its answer: let the target give the names of the tools it called, and let examples have those that are wanted.',
      js: `
function path({ outputs, referenceOutputs }) {
  const wanted = referenceOutputs?.tools ?? [];
  const called = new Set(outputs.tools ?? []);
  return { key: "path", score: wanted.every((tool) => called.has(tool)) };
}

await evaluate(target, {
  client,
  data: "support-questions",
  evaluators: [helpful, path],
  experimentPrefix: "judged",
  maxConcurrency: 4,
});`,
      python: `
import asyncio

def path(outputs: dict, reference_outputs: dict) -> dict:
    wanted = (reference_outputs or {}).get("tools") or []
    return {"key": "path", "score": set(wanted) <= set(outputs.get("tools") or [])}

async def target_async(inputs: dict) -> dict:
    return target(inputs)

async def judged():
    return await client.aevaluate(
        target_async,
        data="support-questions",
        evaluators=[helpful, path],
        experiment_prefix="judged",
        max_concurrency=4,
    )

asyncio.run(judged())`,
    },
    {
      title: 'For agents',
      text: 'Experiments cost what the application and its judges cost: try a few examples first. Then list_experiments shows the scores, and fetch_runs with the experiment’s name as project_name and error=true what failed.',
    },
  ],
});
