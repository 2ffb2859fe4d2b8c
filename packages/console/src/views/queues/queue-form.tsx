import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { datasetChoices } from '../../api/choices.ts';
import { ChoiceField } from '../../choices/choice-field.tsx';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import type { QueueWithRubric } from './queue-queries.ts';
import { configWanted, hasNewKey } from './rubric-rules.ts';
import { type DraftQuestion, draftOf, RubricFields } from './rubric-fields.tsx';

interface QueueFormProps {
  /** The queue to change; a new one without it. */
  readonly queue: QueueWithRubric | undefined;
  readonly onClose: () => void;
}

interface Draft {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly default_dataset: string;
  readonly reviewers: string;
  readonly reserves: boolean;
  readonly minutes: string;
  readonly rubric: readonly DraftQuestion[];
}

const draftFrom = (queue: QueueWithRubric | undefined): Draft => ({
  name: queue?.name ?? '',
  description: queue?.description ?? '',
  instructions: queue?.rubric_instructions ?? '',
  default_dataset: queue?.default_dataset ?? '',
  reviewers: String(queue?.num_reviewers_per_item ?? 1),
  reserves: queue?.enable_reservations ?? true,
  minutes: String(queue?.reservation_minutes ?? 10),
  rubric: (queue?.rubric_items ?? []).map(draftOf),
});

/** Makes or changes a queue: its questions, and how many people answer them. */
export function QueueForm({ queue, onClose }: QueueFormProps) {
  const [draft, setDraft] = useState(() => draftFrom(queue));
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const [client, go] = [useQueryClient(), useGo()];
  const save = async () => {
    await configure(draft.rubric);
    const body = bodyOf(draft);
    const { id } =
      queue === undefined
        ? await traces.createAnnotationQueue({ body })
        : await traces.patchAnnotationQueue({ params: { queue_id: queue.id }, body });
    await client.invalidateQueries({ queryKey: ['queues'] });
    await client.invalidateQueries({ queryKey: ['feedback configs'] });
    say({ text: queue === undefined ? `Made the queue ${draft.name}.` : `Changed the queue ${draft.name}.` });
    if (queue === undefined) go(at.queue(id));
  };
  return (
    <FormDialog
      title={queue === undefined ? 'New annotation queue' : `Change ${queue.name}`}
      submit={queue === undefined ? 'Make it' : 'Save'}
      wide
      isOpen
      onClose={onClose}
      onSubmit={save}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
        />
        <TextField
          label="Description"
          value={draft.description}
          onChange={({ target }) => set({ description: target.value })}
        />
      </div>
      <TextArea
        label="Instructions for reviewers"
        rows={2}
        value={draft.instructions}
        onChange={({ target }) => set({ instructions: target.value })}
      />
      <RubricFields questions={draft.rubric} onChange={(rubric) => set({ rubric })} />
      <ReviewingFields draft={draft} set={set} />
    </FormDialog>
  );
}

interface ReviewingFieldsProps {
  readonly draft: Draft;
  readonly set: (change: Partial<Draft>) => void;
}

/** How many people review a run, and what becomes of good ones. */
function ReviewingFields({ draft, set }: ReviewingFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <ChoiceField
        of={datasetChoices}
        label="Dataset"
        hint="Where reviewers put what is worth keeping."
        before={[['', 'None']]}
        value={draft.default_dataset}
        onChange={(default_dataset) => set({ default_dataset })}
      />
      <TextField
        label="Reviewers of each run"
        type="number"
        min={1}
        max={1000}
        required
        value={draft.reviewers}
        onChange={({ target }) => set({ reviewers: target.value })}
      />
      <CheckField
        label="Reserve a run for who looks at it"
        hint="Two people at once get different runs."
        checked={draft.reserves}
        onChange={({ target }) => set({ reserves: target.checked })}
      />
      <TextField
        label="Minutes of a reservation"
        type="number"
        min={1}
        max={10_080}
        disabled={!draft.reserves}
        value={draft.minutes}
        onChange={({ target }) => set({ minutes: target.value })}
      />
    </div>
  );
}

const bodyOf = (draft: Draft) => ({
  name: draft.name,
  description: draft.description,
  rubric_instructions: draft.instructions,
  default_dataset: draft.default_dataset || null,
  num_reviewers_per_item: Number(draft.reviewers),
  enable_reservations: draft.reserves,
  reservation_minutes: Number(draft.minutes),
  rubric_items: draft.rubric.map(({ key, description, isRequired, kept }) => ({
    ...(kept?.feedback_key === key ? kept : aboutNewKey(kept)),
    feedback_key: key,
    description: description || null,
    is_required: isRequired,
  })),
});

/** What of a question stays whichever key it has; how the one before is scored and described goes with that. */
const aboutNewKey = (kept: DraftQuestion['kept']) => ({
  required_if: kept?.required_if,
  visible_if: kept?.visible_if,
});

/** Says how new keys are scored; a key that is known keeps its way. */
async function configure(rubric: readonly DraftQuestion[]): Promise<void> {
  const fresh = rubric.filter(hasNewKey);
  if (fresh.length === 0) return;
  const known = await traces.listFeedbackConfigs({ query: { key: fresh.map(({ key }) => key) } });
  for (const question of fresh) {
    if (known.some(({ feedback_key }) => feedback_key === question.key)) continue;
    const { type, min, max, categories } = configWanted(question);
    await traces.createFeedbackConfig({
      body: {
        feedback_key: question.key,
        feedback_config: {
          type,
          ...(min !== undefined && { min }),
          ...(max !== undefined && { max }),
          ...(categories && { categories: [...categories] }),
        },
      },
    });
  }
}
