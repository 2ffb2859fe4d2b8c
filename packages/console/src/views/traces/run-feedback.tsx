import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import { Answer } from '../../ui/answers.tsx';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { say } from '../../ui/toasts.tsx';
import { count } from '../../words/number-rules.ts';
import { type Feedback, feedbackQuery, type RunFacts, type TraceSource } from './trace-source.ts';

interface RunFeedbackProps {
  readonly source: TraceSource;
  readonly facts: RunFacts;
}

/** What people, programs and models said about a run. */
export function RunFeedback({ source, facts }: RunFeedbackProps) {
  const { id: run = '' } = facts;
  const given = useQuery(feedbackQuery(source, run));
  const [doing, setDoing] = useState<{ readonly add: true } | { readonly remove: Feedback }>();
  const close = () => setDoing(undefined);
  return (
    <section aria-label="Feedback" className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <h2 className="font-semibold">Feedback</h2>
        {source.own !== undefined && (
          <Button small needs="feedback:write" onClick={() => setDoing({ add: true })}>
            Give feedback
          </Button>
        )}
      </div>
      <Answer of={given}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-quiet">Nobody said anything about this run yet.</p>
          ) : (
            <ul className="divide-y divide-line">
              {list.map((one) => (
                <Given
                  key={one.id}
                  feedback={one}
                  onRemove={source.own && (() => setDoing({ remove: one }))}
                />
              ))}
            </ul>
          )
        }
      </Answer>
      {doing !== undefined && 'add' in doing && <GiveFeedback source={source} run={run} onClose={close} />}
      {doing !== undefined && 'remove' in doing && (
        <RemoveFeedback source={source} run={run} feedback={doing.remove} onClose={close} />
      )}
    </section>
  );
}

interface GivenProps {
  readonly feedback: Feedback;
  readonly onRemove: (() => void) | undefined;
}

function Given({ feedback, onRemove }: GivenProps) {
  const { key, score, value, comment, correction, created_at, feedback_source } = feedback;
  const { type, user_name } = feedback_source as { readonly type?: unknown; readonly user_name?: unknown };
  return (
    <li className="flex flex-wrap items-center gap-2 py-2">
      <span className="font-medium">{key}</span>
      {score !== null && <span className="tabular-nums">{count(score)}</span>}
      {value !== null && value !== undefined && (
        <Tag>{typeof value === 'string' ? value : JSON.stringify(value)}</Tag>
      )}
      <span className="text-xs text-quiet">
        {typeof user_name === 'string' ? user_name : typeof type === 'string' ? type : ''}{' '}
        <Ago at={created_at} />
      </span>
      {onRemove !== undefined && (
        <Button small look="quiet" needs="feedback:write" className="ml-auto" onClick={onRemove}>
          Remove {key}
        </Button>
      )}
      {comment !== null && <p className="w-full wrap-anywhere whitespace-pre-wrap">{comment}</p>}
      {correction !== null && correction !== undefined && (
        <p className="w-full font-mono text-xs wrap-anywhere">should be {JSON.stringify(correction)}</p>
      )}
    </li>
  );
}

interface FormProps {
  readonly source: TraceSource;
  readonly run: string;
  readonly onClose: () => void;
}

function useFeedbackChanged({ source, run }: Pick<FormProps, 'source' | 'run'>) {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: [...source.key, 'feedback', run] });
    await client.invalidateQueries({ queryKey: ['runs'], refetchType: 'none' });
  };
}

function GiveFeedback({ source, run, onClose }: FormProps) {
  const [key, setKey] = useState('helpful');
  const [score, setScore] = useState('');
  const [comment, setComment] = useState('');
  const changed = useFeedbackChanged({ source, run });
  const give = async () => {
    await traces.createFeedback({
      body: {
        run_id: run,
        key,
        ...(score.trim() !== '' && { score: Number(score) }),
        ...(comment !== '' && { comment }),
        feedback_source: { type: 'app' },
      },
    });
    await changed();
    say({ text: `Feedback ${key} is given.` });
  };
  return (
    <FormDialog title="Give feedback" isOpen onClose={onClose} submit="Give" onSubmit={give}>
      <TextField
        label="Key"
        required
        maxLength={180}
        value={key}
        onChange={({ target: { value } }) => setKey(value)}
        hint="What the feedback is about, the same for all runs that are compared."
      />
      <TextField
        label="Score"
        type="number"
        step="any"
        value={score}
        onChange={({ target: { value } }) => setScore(value)}
        hint="1 for yes and 0 for no, or any number."
      />
      <TextArea label="Comment" value={comment} onChange={({ target: { value } }) => setComment(value)} />
    </FormDialog>
  );
}

function RemoveFeedback({ source, run, feedback, onClose }: FormProps & { readonly feedback: Feedback }) {
  const changed = useFeedbackChanged({ source, run });
  const remove = async () => {
    await traces.deleteFeedback({ params: { feedback_id: feedback.id } });
    await changed();
    say({ text: `Feedback ${feedback.key} is removed.` });
  };
  return (
    <FormDialog
      title={`Remove feedback ${feedback.key}?`}
      isOpen
      onClose={onClose}
      submit="Remove the feedback"
      onSubmit={remove}
      danger
    >
      <p>What was said is gone then.</p>
    </FormDialog>
  );
}
