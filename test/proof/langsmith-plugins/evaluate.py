"""Evaluates with every option, in order and at once, and compares two experiments; writes what it made."""

import asyncio
import json

from langsmith import Client, aevaluate, evaluate
from langsmith.evaluation import evaluate_comparative

client = Client()
dataset = client.create_dataset("capitals by Python", description="Countries and capitals.")
client.create_examples(
    dataset_id=dataset.id,
    examples=[
        {"inputs": {"country": country}, "outputs": {"capital": country.upper()}, "split": "first" if at < 2 else "second"}
        for at, country in enumerate(["Norway", "Peru", "Kenya", "Chile"])
    ],
)


def is_right(outputs, reference_outputs):
    return {"key": "right", "score": outputs["capital"] == reference_outputs["capital"]}


def share(runs, examples):
    return {"key": "share", "score": len(runs)}


options = dict(
    evaluators=[is_right],
    summary_evaluators=[share],
    description="By the Python SDK.",
    metadata={"model": "none"},
    max_concurrency=2,
    num_repetitions=2,
    client=client,
)


def upper(inputs):
    return {"capital": inputs["country"].upper()}


async def lower(inputs):
    return {"capital": inputs["country"]}


async def at_once():
    results = await aevaluate(lower, data=dataset.name, experiment_prefix="python-async", **options)
    return results.experiment_name, len([row async for row in results])


first = evaluate(upper, data=dataset.name, experiment_prefix="python", **options)
rows = len(list(first))
second_name, second_rows = asyncio.run(at_once())
split = evaluate(
    upper,
    data=client.list_examples(dataset_id=dataset.id, splits=["first"]),
    experiment_prefix="python-split",
    client=client,
)
client.flush()
rescored = evaluate(first.experiment_name, evaluators=[lambda run: {"key": "again", "score": 1}], client=client)


def prefers_first(runs, example):
    return {"key": "preferred", "scores": {runs[0].id: 1, runs[1].id: 0}}


compared = evaluate_comparative((first.experiment_name, second_name), evaluators=[prefers_first], client=client)
client.update_dataset_splits(
    dataset_id=dataset.id,
    split_name="moved",
    example_ids=[example.id for example in client.list_examples(dataset_id=dataset.id, limit=1)],
)
print(
    json.dumps(
        {
            "dataset_id": str(dataset.id),
            "first": {"name": first.experiment_name, "rows": rows},
            "second": {"name": second_name, "rows": second_rows},
            "split": {"name": split.experiment_name, "rows": len(list(split))},
            "rescored": rescored.experiment_name,
            "compared": len(list(compared)),
            "moved": len(list(client.list_examples(dataset_id=dataset.id, splits=["moved"]))),
        }
    )
)
