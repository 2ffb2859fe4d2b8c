import { expect, test } from 'vitest';
import { type CopiedRun, curlOf, pytestOf, shellText, testOf } from './copy-rules.ts';

const run: CopiedRun = {
  id: 'r1',
  name: 'My agent!',
  inputs: { question: "it's" },
  outputs: { answer: 1 },
  metadata: { assistant_id: 'a1' },
};
const elsewhere = { origin: 'https://here.example' };
const deployed = { ...elsewhere, slug: 'support' };

test('when a text has quotes, then a shell takes it as it is', () => {
  expect(shellText(`it's $HOME`)).toBe(`'it'\\''s $HOME'`);
});

test('when a deployment ran it, then the command runs it again', () => {
  expect(curlOf(run, deployed)).toBe(
    `curl -s 'https://here.example/agents/support/runs/wait' -H 'X-Api-Key: YOUR_KEY' \\\n` +
      `  -H 'Content-Type: application/json' \\\n` +
      `  -d '{"assistant_id":"a1","input":{"question":"it'\\''s"}}'`,
  );
});

test('when nothing here ran it, then the command reads it', () => {
  expect(curlOf(run, elsewhere)).toBe(`curl -s 'https://here.example/runs/r1' -H 'X-Api-Key: YOUR_KEY'`);
});

test('when it is copied as a test, then inputs and outputs are in it', () => {
  expect(testOf(run, deployed)).toContain(`expect(output).toEqual({\n    "answer": 1\n  });`);
  expect(testOf(run, elsewhere)).toContain('await run(input)');
});

test('when it is copied for pytest, then the name is one of Python', () => {
  expect(pytestOf(run, deployed)).toContain('def test_my_agent() -> None:');
  expect(pytestOf(run, elsewhere)).toContain(`value = json.loads("{\\"question\\":\\"it's\\"}")`);
});
