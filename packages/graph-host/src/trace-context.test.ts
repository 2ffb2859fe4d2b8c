import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HostUnderTest, texts } from './testing/host-process.ts';

const folder = fileURLToPath(new URL('../fixtures/traced', import.meta.url));
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('when a graph traces with OpenTelemetry, then each run goes on with the trace of its call', async () => {
  await using host = new HostUnderTest(folder);
  const run = async (more: { traceparent?: string }) => {
    const { events } = await host.run({ thread_id: crypto.randomUUID(), input: { messages: [] }, ...more });
    return texts(events);
  };
  const other = traceparent.replace('0af7', 'ffff');
  expect(await Promise.all([run({ traceparent }), run({ traceparent: other }), run({})])).toEqual([
    [traceparent],
    [other],
    ['undefined'],
  ]);
});
