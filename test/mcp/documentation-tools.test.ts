import { useFixture } from '@roadstead/testing';
import { describe, expect, test } from 'vitest';
import { answered, refusal } from './answers.ts';
import { documentationSuite } from './documentation-suite.ts';
import { LATEST, startMcpFixture } from './mcp-fixture.ts';

const names = ['push_prompt', 'create_dataset', 'update_examples', 'run_experiment'];

/** The proof runs those in Python. */
describe('when the examples are in JavaScript', () => {
  documentationSuite('js');
});

describe('the tools that tell it', () => {
  const fixture = useFixture(startMcpFixture);
  const caller = useFixture(() => fixture().connect(`client 2.x, HTTP, ${LATEST}`));

  test.each(names)(
    'when %s is called, then it is always the same, small, and takes nothing',
    async (name) => {
      const [{ text }, again] = [await answered(caller(), name), await answered(caller(), name, {})];
      expect(again).toEqual({ text });
      expect(String(text).length).toBeLessThan(6000);
      expect(await caller().call(name, { anything: null })).toMatchObject({ structuredContent: { text } });
      expect(await caller().call(name, { anything: 1 })).toMatchObject(refusal('invalid_input', /anything/));
    },
  );

  const unchanging = { readOnlyHint: true, openWorldHint: false };
  test('when tools only explain, then they say that they change nothing', async () => {
    const { tools } = await caller().listTools();
    const told = tools.filter(({ name }) => names.includes(name));
    expect(told).toEqual(
      names.map(
        (name) =>
          expect.objectContaining({
            name,
            annotations: expect.objectContaining(unchanging) as object,
          }) as object,
      ),
    );
  });
});
