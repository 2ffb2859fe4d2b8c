import { z } from 'zod';
import { Problem } from '@roadstead/kit';
import { linkTo } from '../../addresses/address-rules.ts';
import { requiredUuid, text } from '../input-rules.ts';
import { recordAnswer, requireRecord } from '../list-answers.ts';
import { found } from '../tool-error.ts';
import { tool } from '../tool.ts';
import { exampleRecord } from './example-record-rules.ts';

export const readExample = tool({
  name: 'read_example',
  title: 'Read an example',
  access: 'datasets:read',
  description: 'Reads one example of a dataset whole, as it is or as it was in a version.',
  input: z.strictObject({
    example_id: requiredUuid('Its id.'),
    as_of: text('Version: its tag or an ISO 8601 time.'),
  }),
  output: { example: z.looseObject({ id: z.string() }) },
  run: async ({ example_id, as_of }, { api, signal, link }) => {
    const example = await found(
      api.readExample({ params: { example_id }, query: as_of === undefined ? {} : { as_of }, signal }),
      () => noSuchExample(as_of),
    );
    return recordAnswer(exampleRecord(requireRecord(example, 'id')), {
      key: 'example',
      onCut: () => link(linkTo('example', { example_id })),
    });
  },
});

function noSuchExample(as_of: string | undefined): Problem {
  const message =
    as_of === undefined
      ? 'There is no example with this example_id.'
      : 'There is no example with this example_id in the version that as_of names.';
  return new Problem('not_found', message, {
    hint: 'Call list_examples to see the examples of a dataset.',
  });
}
