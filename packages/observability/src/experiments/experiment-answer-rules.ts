import type { AttachmentAddresses } from '../attachments/attachment-addresses.ts';
import { everyField, exampleMembers } from '../examples/example-answer-rules.ts';
import type { ExampleRecord } from '../examples/example-row.ts';
import { feedbackAnswer } from '../feedback/feedback-answer-rules.ts';
import type { PlacedFeedback } from '../records/feedback-row.ts';
import type { Members } from '../reading/json-answer.ts';
import { runMembers, type Selection, selectionOf } from '../reading/run-answer-rules.ts';
import { runV2Members, type SelectionV2, type LinkOptions } from '../reading/run-answer-v2-rules.ts';
import type { RunRecord } from '../reading/run-record.ts';

/** Examples with the runs of experiments, in both generations of the API. */

export interface ComparedExample {
  readonly example: ExampleRecord;
  readonly runs: readonly { readonly record: RunRecord; readonly feedback: readonly PlacedFeedback[] }[];
}

export function comparedMembers(
  { example, runs }: ComparedExample,
  {
    selection,
    addresses,
    names,
  }: {
    readonly selection: Selection;
    readonly addresses: AttachmentAddresses;
    /** The names of the people who gave feedback. */
    readonly names?: ReadonlyMap<string, string> | undefined;
  },
): Members {
  const items = runs.map(({ record, feedback }): Members => [
    ...runMembers(record, selection),
    ['feedbacks', { value: feedback.map((row) => feedbackAnswer(row, names)) }],
  ]);
  return [...exampleMembers(example, { selected: everyField, addresses }), ['runs', { items }]];
}

export function comparedV2Members(
  { example, runs }: ComparedExample,
  shown: {
    readonly selection: SelectionV2;
    readonly links: LinkOptions;
    readonly addresses: AttachmentAddresses;
  },
): Members {
  const items = runs.map(({ record }) => runV2Members(record, shown.selection, shown.links));
  return [
    ...exampleMembers(example, { selected: everyField, addresses: shown.addresses }),
    ['runs', { items }],
  ];
}

/** The selection of fields; a preview has the beginnings of inputs and outputs only. */
export function shownOfRuns({ preview }: { readonly preview?: boolean | null | undefined }): Selection {
  const selection = selectionOf(null);
  if (preview !== true) return selection;
  return { ...selection, payloads: selection.payloads.filter((kind) => kind === 'extra') };
}
