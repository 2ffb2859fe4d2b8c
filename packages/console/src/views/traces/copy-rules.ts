/** A run as something to paste: a command that reads it or runs it again, and a test that holds it. Pure. */

export interface CopiedRun {
  readonly id: string;
  readonly name: string;
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface CopyPlace {
  readonly origin: string;
  /** The deployment that ran it, by the name in its address. */
  readonly slug?: string | undefined;
}

/** A text for a shell, whatever is in it. */
export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const bodyOf = ({ inputs, metadata }: CopiedRun) => ({
  assistant_id: metadata['assistant_id'] ?? metadata['graph_id'] ?? 'agent',
  input: inputs,
});

const againAddress = ({ origin, slug }: CopyPlace) => `${origin}/agents/${slug ?? ''}/runs/wait`;

/** Runs the agent again on the same input, where a deployment of ours ran it; else reads the run. */
export function curlOf(run: CopiedRun, place: CopyPlace): string {
  const key = `-H 'X-Api-Key: YOUR_KEY'`;
  if (place.slug === undefined) return `curl -s ${shellText(`${place.origin}/runs/${run.id}`)} ${key}`;
  return [
    `curl -s ${shellText(againAddress(place))} ${key}`,
    `-H 'Content-Type: application/json'`,
    `-d ${shellText(JSON.stringify(bodyOf(run)))}`,
  ].join(' \\\n  ');
}

const indented = (value: unknown) => (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', '\n  ');

/** A test that gives the agent the same input and expects the same output. */
export function testOf(run: CopiedRun, place: CopyPlace): string {
  const title = JSON.stringify(`when ${run.name} gets this input, then it answers as it did`);
  const call =
    place.slug === undefined
      ? ['  // Call what is tested here.', '  const output = await run(input);']
      : [
          `  const answer = await fetch(${JSON.stringify(againAddress(place))}, {`,
          `    method: 'POST',`,
          `    headers: { 'content-type': 'application/json', 'x-api-key': process.env.LANGSMITH_API_KEY },`,
          `    body: JSON.stringify({ assistant_id: ${JSON.stringify(bodyOf(run).assistant_id)}, input }),`,
          '  });',
          '  const output = await answer.json();',
        ];
  return [
    `import { expect, test } from 'vitest';`,
    '',
    `// From the run ${run.id}.`,
    `test(${title}, async () => {`,
    `  const input = ${indented(run.inputs)};`,
    ...call,
    `  expect(output).toEqual(${indented(run.outputs)});`,
    '});',
    '',
  ].join('\n');
}

/** The same for pytest. */
export function pytestOf(run: CopiedRun, place: CopyPlace): string {
  const name = run.name.toLowerCase().replace(/\W+/g, '_').replace(/^_|_$/g, '') || 'run';
  const text = (value: unknown) => JSON.stringify(JSON.stringify(value) ?? 'null');
  const call =
    place.slug === undefined
      ? ['    output = run(value)  # call what is tested here']
      : [
          `    request = urllib.request.Request(`,
          `        ${JSON.stringify(againAddress(place))},`,
          `        json.dumps({"assistant_id": ${JSON.stringify(bodyOf(run).assistant_id)}, "input": value}).encode(),`,
          `        {"content-type": "application/json", "x-api-key": os.environ["LANGSMITH_API_KEY"]},`,
          '    )',
          '    output = json.load(urllib.request.urlopen(request))',
        ];
  return [
    ...(place.slug === undefined ? ['import json'] : ['import json', 'import os', 'import urllib.request']),
    '',
    '',
    `def test_${name}() -> None:`,
    `    """From the run ${run.id}."""`,
    `    value = json.loads(${text(run.inputs)})`,
    ...call,
    `    assert output == json.loads(${text(run.outputs)})`,
    '',
  ].join('\n');
}
