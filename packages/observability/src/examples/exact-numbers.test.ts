import { uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { startFixture } from '../testing/observability-fixture.ts';

const LARGE = '12345678901234567890';

it('when numbers are more than JavaScript can hold, then they come back as they were sent', async () => {
  await using fixture = await startFixture();
  const { id: dataset_id } = await fixture.client().createDataset({ body: { name: 'exact' } });
  const id = uuidv7();
  const payloads = `"inputs":{"n":${LARGE}},"outputs":{"n":-${LARGE}},"metadata":{"n":${LARGE}.5}`;
  const sent = `{"id":"${id}","dataset_id":"${dataset_id}",${payloads}}`;
  const ask = async (method: string, path: string, body?: string) => {
    const answer = await fixture.send(path, { method, ...(body === undefined ? {} : { body }) });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const numbersIn = (text: string) => text.match(/-?\d{20}(?:\.\d+)?/g);
  const exact = [LARGE, `-${LARGE}`, `${LARGE}.5`].toSorted();
  const validated = await ask('POST', '/examples/validate', sent);
  expect(numbersIn(validated)?.toSorted()).toEqual(exact);
  expect(numbersIn(await ask('POST', '/examples/validate/bulk', `[${sent}]`))?.toSorted()).toEqual(exact);
  await ask('POST', '/examples', `{"id":"${id}","dataset_id":"${dataset_id}","inputs":{}}`);
  await ask('PATCH', '/examples/bulk', `[{"id":"${id}",${payloads}}]`);
  expect(numbersIn(await ask('GET', `/examples/${id}`))?.toSorted()).toEqual(exact);
});
