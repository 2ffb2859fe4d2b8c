import { useState } from 'react';
import { traces } from '../../../api/clients.ts';
import { datasetChoices, projectChoices, queueChoices } from '../../../api/choices.ts';
import { ChoiceField } from '../../../choices/choice-field.tsx';
import { FilterField } from '../../../filters/filter-box.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { CheckField, TextField } from '../../../ui/fields.tsx';
import { useChange } from '../use-change.ts';
import { type NewSecret, newSecretsOf } from '../../../words/webhook-secret-rules.ts';

export type Rule = Awaited<ReturnType<typeof traces.readRule>>;

/** What a rule is, as a form holds it. */
interface Draft {
  readonly name: string;
  readonly project: string;
  readonly share: string;
  readonly filter: string;
  readonly dataset: string;
  readonly queue: string;
  readonly keep: boolean;
  readonly webhook: string;
}

const draftOf = (rule: Rule | undefined): Draft => ({
  name: rule?.display_name ?? '',
  project: rule?.session_id ?? '',
  share: String((rule?.sampling_rate ?? 1) * 100),
  filter: rule?.filter ?? 'eq(is_root, true)',
  dataset: rule?.add_to_dataset_id ?? '',
  queue: rule?.add_to_annotation_queue_id ?? '',
  keep: rule?.extend_only ?? false,
  webhook: rule?.webhooks[0]?.url ?? '',
});

const orNull = (text: string) => (text === '' ? null : text);

/** The webhook of the form, with what is kept of the one that was there. */
function webhooksOf({ webhook }: Draft, rule: Rule | undefined) {
  const [first, ...others] = rule?.webhooks ?? [];
  if (webhook === '') return others;
  return [first?.url === webhook ? first : { url: webhook }, ...others];
}

interface RuleFormProps {
  /** The one that is changed; undefined: a new one. */
  readonly rule: Rule | undefined;
  readonly onClose: () => void;
  /** Takes the secret that signs calls of a webhook, which is answered once. */
  readonly onSecrets: (secrets: readonly NewSecret[]) => void;
}

export function RuleForm({ rule, onClose, onSecrets }: RuleFormProps) {
  const [draft, setDraft] = useState(() => draftOf(rule));
  const change = useChange();
  const save = async () => {
    const body = {
      display_name: draft.name,
      sampling_rate: Number(draft.share) / 100,
      filter: orNull(draft.filter),
      add_to_dataset_id: orNull(draft.dataset),
      add_to_annotation_queue_id: orNull(draft.queue),
      extend_only: draft.keep,
      webhooks: webhooksOf(draft, rule),
    };
    const saved =
      rule === undefined
        ? await traces.createRule({ body: { ...body, session_id: orNull(draft.project) } })
        : await traces.patchRule({ params: { rule_id: rule.id }, body });
    const said = rule === undefined ? `The rule ${draft.name} is made.` : `${draft.name} is changed.`;
    await change({ said, changes: [['rules']] });
    onSecrets(newSecretsOf(saved.webhooks));
  };
  return (
    <FormDialog
      title={rule === undefined ? 'New rule' : `Change ${rule.display_name}`}
      isOpen
      wide
      submit={rule === undefined ? 'Make the rule' : 'Save'}
      onClose={onClose}
      onSubmit={save}
    >
      <Conditions draft={draft} isNew={rule === undefined} onChange={setDraft} />
      <Actions draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}

interface DraftProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function Conditions({ draft, isNew, onChange }: DraftProps & { readonly isNew: boolean }) {
  return (
    <>
      <TextField
        label="Name"
        required
        maxLength={500}
        value={draft.name}
        placeholder="failures to review"
        onChange={({ target }) => onChange({ ...draft, name: target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {isNew && (
          <ChoiceField
            of={projectChoices}
            label="Runs of the project"
            required
            before={[['', 'Choose one']]}
            value={draft.project}
            onChange={(project) => onChange({ ...draft, project })}
          />
        )}
        <TextField
          label="Share of the runs (%)"
          type="number"
          required
          min={0}
          max={100}
          step="any"
          value={draft.share}
          hint="The same runs each time."
          onChange={({ target }) => onChange({ ...draft, share: target.value })}
        />
      </div>
      <FilterField
        label="Filter"
        hint='Such as and(eq(is_root, true), eq(status, "error")). Without one, all runs.'
        project={draft.project === '' ? undefined : draft.project}
        value={draft.filter}
        onChange={(filter) => onChange({ ...draft, filter })}
      />
    </>
  );
}

function Actions({ draft, onChange }: DraftProps) {
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="pb-2 font-semibold">Then</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField
          of={datasetChoices}
          label="Add it to a dataset"
          before={[['', 'No']]}
          value={draft.dataset}
          onChange={(dataset) => onChange({ ...draft, dataset })}
        />
        <ChoiceField
          of={queueChoices}
          label="Put it into an annotation queue"
          before={[['', 'No']]}
          value={draft.queue}
          onChange={(queue) => onChange({ ...draft, queue })}
        />
      </div>
      <TextField
        label="Call an address"
        type="url"
        value={draft.webhook}
        placeholder="https://receiver.example/run"
        onChange={({ target }) => onChange({ ...draft, webhook: target.value })}
      />
      <CheckField
        label="Keep its trace long"
        checked={draft.keep}
        onChange={({ target }) => onChange({ ...draft, keep: target.checked })}
      />
    </fieldset>
  );
}
