import { useState } from 'react';
import { type FieldTexts, fieldsOfArgs, valuesOf } from '../words/question-rules.ts';
import {
  type Decision,
  type ProposedAction,
  type Review,
  reviewAnswer,
  type ReviewDecision,
} from '../words/review-rules.ts';
import { Button } from './button.tsx';
import { TextArea } from './fields.tsx';
import { FormFields } from './form-fields.tsx';
import { JsonView } from './json-view.tsx';
import { Markdown } from './markdown.tsx';
import { Badge } from './status.tsx';

interface ReviewFormProps {
  readonly review: Review;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: unknown) => void;
}

/** Lets a person decide on each action that an agent proposes; the answer goes out with the last decision. */
export function ReviewForm({ review, isBusy, onAnswer }: ReviewFormProps) {
  const [made, setMade] = useState<Readonly<Record<number, ReviewDecision>>>({});
  const decide = (index: number, decision: ReviewDecision) => {
    const all = { ...made, [index]: decision };
    setMade(all);
    const list = review.actions.map((_action, place) => all[place]);
    if (list.every((one) => one !== undefined)) onAnswer(reviewAnswer(review, list));
  };
  return (
    <ol className="flex flex-col gap-3">
      {review.actions.map((action, index) => (
        <li key={index}>
          <ActionReview
            action={action}
            isInbox={review.shape === 'inbox'}
            decided={made[index]}
            isBusy={isBusy}
            onDecide={(decision) => decide(index, decision)}
          />
        </li>
      ))}
    </ol>
  );
}

const words: Readonly<Record<Decision, string>> = {
  approve: 'Accept',
  edit: 'Edit',
  respond: 'Respond',
  reject: 'Reject',
};
/** An agent inbox ignores an action without a reason. */
const inboxWords = { ...words, reject: 'Ignore' };
const decidedWords: Readonly<Record<Decision, string>> = {
  approve: 'accepted',
  edit: 'edited',
  respond: 'responded to',
  reject: 'rejected',
};

interface ActionReviewProps {
  readonly action: ProposedAction;
  readonly isInbox: boolean;
  readonly decided: ReviewDecision | undefined;
  readonly isBusy: boolean;
  readonly onDecide: (decision: ReviewDecision) => void;
}

function ActionReview({ action, isInbox, decided, isBusy, onDecide }: ActionReviewProps) {
  const [opened, setOpened] = useState<Decision>();
  const opens: readonly Decision[] = isInbox ? ['edit', 'respond'] : ['edit', 'respond', 'reject'];
  const { name, args, description, allowed } = action;
  return (
    <section aria-label={`Action ${name}`} className="flex flex-col gap-3 rounded-md border border-line p-3">
      <h3 className="flex flex-wrap items-center gap-2 font-mono font-medium">
        {name}
        {decided !== undefined && (
          <Badge tone="good">
            {isInbox && decided.decision === 'reject' ? 'ignored' : decidedWords[decided.decision]}
          </Badge>
        )}
      </h3>
      {description !== undefined && <Markdown text={description} />}
      {opened !== 'edit' && <JsonView value={args} label={`arguments of ${name}`} />}
      {opened === 'edit' && <EditArgs args={args} isBusy={isBusy} onDecide={onDecide} />}
      {(opened === 'respond' || opened === 'reject') && (
        <Note key={opened} decision={opened} isBusy={isBusy} onDecide={onDecide} />
      )}
      <div className="flex flex-wrap gap-2">
        {allowed.map((decision) => (
          <Button
            key={decision}
            needs="agents:invoke"
            look={decision === 'approve' ? 'main' : 'plain'}
            disabled={isBusy}
            aria-expanded={opens.includes(decision) ? opened === decision : undefined}
            onClick={() => {
              if (opens.includes(decision)) setOpened(opened === decision ? undefined : decision);
              else onDecide({ decision });
            }}
          >
            {(isInbox ? inboxWords : words)[decision]}
          </Button>
        ))}
      </div>
    </section>
  );
}

type StepProps = Pick<ActionReviewProps, 'isBusy' | 'onDecide'>;

function EditArgs({ args, isBusy, onDecide }: StepProps & Pick<ProposedAction, 'args'>) {
  const [entered, setEntered] = useState<FieldTexts>({});
  const [faults, setFaults] = useState<FieldTexts>({});
  const fields = fieldsOfArgs(args);
  const send = () => {
    const outcome = valuesOf(fields, entered);
    setFaults('faults' in outcome ? outcome.faults : {});
    if ('value' in outcome) onDecide({ decision: 'edit', args: { ...args, ...outcome.value } });
  };
  return (
    <>
      <FormFields fields={fields} entered={entered} faults={faults} onEnter={setEntered} />
      <Button look="main" needs="agents:invoke" disabled={isBusy} className="self-start" onClick={send}>
        Send the edited action
      </Button>
    </>
  );
}

const notes = {
  respond: { label: 'What the agent should know', send: 'Send the response' },
  reject: { label: 'Why the agent should not do it', send: 'Reject the action' },
} as const;

/** What a person says to the agent with the decision. */
function Note({ decision, isBusy, onDecide }: StepProps & { readonly decision: keyof typeof notes }) {
  const { label, send } = notes[decision];
  const [note, setNote] = useState('');
  return (
    <>
      <TextArea label={label} value={note} onChange={(event) => setNote(event.target.value)} />
      <Button
        look="main"
        needs="agents:invoke"
        disabled={isBusy}
        className="self-start"
        onClick={() => onDecide({ decision, note })}
      >
        {send}
      </Button>
    </>
  );
}
