import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { at } from '../../router/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { GoTo } from '../../ui/link.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { PromptEntries } from '../../ui/prompt-entries.tsx';
import { say } from '../../ui/toasts.tsx';
import type { EditablePrompt } from '../../words/prompt-rules.ts';
import { AnswerCard } from './answer-card.tsx';
import { areChanged, askedOf, type Draft, type PromptSource, unaskable, variablesIn } from './draft-rules.ts';
import { ExperimentCard } from './experiment-card.tsx';
import { ModelChoice, useModel } from './model-choice.tsx';
import { NewExperiment } from './new-experiment.tsx';
import { noParameters } from './parameter-rules.ts';
import { Parameters } from './parameters.tsx';
import type { ModelProvider } from './providers.ts';
import { SaveCommit } from './save-commit.tsx';
import { useRun } from './use-run.ts';
import { Variables } from './variables.tsx';

interface BenchProps {
  readonly providers: readonly ModelProvider[];
  readonly from: EditablePrompt;
  readonly of: PromptSource | undefined;
  readonly onSaved: (saved: { readonly prompt: string; readonly commit: string }) => void;
}

const draftOf = ({ entries, format, schema }: EditablePrompt): Draft => ({
  entries,
  format,
  texts: {},
  form: schema === undefined ? noParameters : { ...noParameters, schema: JSON.stringify(schema, null, 2) },
});

/** Messages, variables and a model on one side; what the model says on the other. */
export function Bench({ providers, from, of, onSaved }: BenchProps) {
  const { experiment } = useSearch({ strict: false });
  const [draft, setDraft] = useState(() => draftOf(from));
  const [doing, setDoing] = useState<'save' | 'experiment'>();
  const choice = useModel(providers);
  const { answer, run, stop } = useRun();
  const isChanged = areChanged(draft.entries, from.entries);
  const because = choice.because ?? unaskable(draft, { of, isChanged });
  const asked = (): object => ({
    model_provider_id: choice.provider?.id,
    model: choice.model,
    ...askedOf(draft, { of, isChanged }),
  });
  const start = () => {
    if (because !== undefined) return;
    try {
      void run({ ...asked(), variables: variablesIn(draft) });
    } catch (error) {
      say({ kind: 'error', text: error instanceof Error ? error.message : String(error) });
    }
  };
  const isRunning = answer?.status === 'running';
  useShortcuts([
    { key: 'mod+enter', does: 'run', needs: 'prompts:write', run: start },
    { key: 's', does: 'save as a commit', needs: 'prompts:write', run: () => setDoing('save') },
  ]);
  return (
    <Page
      title="Playground"
      beside={<Source of={of} isChanged={isChanged} />}
      actions={
        <>
          <Button needs="prompts:write" onClick={() => setDoing('save')}>
            Save as a commit
          </Button>
          <Button needs="prompts:write" because={because} onClick={() => setDoing('experiment')}>
            Run over a dataset
          </Button>
          <Button look="main" needs="prompts:write" because={because} disabled={isRunning} onClick={start}>
            <Icon name="play" /> Run
          </Button>
          {isRunning && (
            <Button onClick={stop}>
              <Icon name="stop" /> Stop
            </Button>
          )}
        </>
      }
    >
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Messages">
            <PromptEntries entries={draft.entries} onChange={(entries) => setDraft({ ...draft, entries })} />
          </Card>
          <Variables draft={draft} onChange={setDraft} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <ModelChoice providers={providers} choice={choice} />
          <AnswerCard answer={answer} />
          {experiment !== undefined && <ExperimentCard id={experiment} />}
          <Parameters form={draft.form} onChange={(form) => setDraft({ ...draft, form })} />
        </div>
      </div>
      {doing === 'save' && (
        <SaveCommit draft={draft} of={of} onSaved={onSaved} onClose={() => setDoing(undefined)} />
      )}
      {doing === 'experiment' && <NewExperiment asked={asked} onClose={() => setDoing(undefined)} />}
    </Page>
  );
}

interface SourceProps {
  readonly of: PromptSource | undefined;
  readonly isChanged: boolean;
}

function Source({ of, isChanged }: SourceProps) {
  if (of === undefined) return null;
  const short = of.hash.slice(0, 8);
  return (
    <span className="text-quiet">
      <GoTo target={at.prompt(of.prompt, { commit: short })}>
        {of.prompt}:{short}
      </GoTo>
      {isChanged && ', changed'}
    </span>
  );
}
