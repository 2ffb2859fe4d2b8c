import { type ReactNode, useState } from 'react';
import { type FieldTexts, isJson, type Question, valuesOf } from '../words/question-rules.ts';
import { Button } from './button.tsx';
import { TextArea } from './fields.tsx';
import { FormFields } from './form-fields.tsx';
import { JsonView } from './json-view.tsx';
import { ReviewForm } from './review-form.tsx';

/** A question of a graph, and the form in which a person answers it. */

interface QuestionFormProps {
  readonly question: Question;
  readonly isBusy: boolean;
  readonly onAnswer: (answer: unknown) => void;
  /** Whether the first control takes the keyboard at once. */
  readonly autoFocus?: boolean;
}

export function QuestionForm({ question, isBusy, onAnswer, autoFocus = false }: QuestionFormProps) {
  const [isJsonAnswer, setJsonAnswer] = useState(false);
  const shared = { isBusy, onAnswer, autoFocus };
  return (
    <section
      aria-label="Question"
      className="flex flex-col gap-3 rounded-lg border-2 border-warn bg-card p-4"
    >
      <p className="font-medium wrap-anywhere whitespace-pre-wrap">{question.asks}</p>
      {question.about !== undefined && <JsonView value={question.about} label="what it is about" />}
      {isJsonAnswer ? <JsonAnswer {...shared} /> : <Controls question={question} {...shared} />}
      <button
        type="button"
        className="self-start text-xs text-accent underline"
        onClick={() => setJsonAnswer(!isJsonAnswer)}
      >
        {isJsonAnswer ? 'Answer in the form' : 'Answer with JSON'}
      </button>
    </section>
  );
}

type ControlsProps = Omit<QuestionFormProps, 'question'> & { readonly autoFocus: boolean };

function Controls({ question, ...shared }: ControlsProps & { readonly question: Question }): ReactNode {
  switch (question.kind) {
    case 'text':
      return <TextAnswer {...shared} />;
    case 'choice':
      return (
        <div className="flex flex-wrap gap-2">
          {question.options.map(({ label, value }) => (
            <Button
              key={label}
              needs="agents:invoke"
              disabled={shared.isBusy}
              onClick={() => shared.onAnswer(value)}
            >
              {label}
            </Button>
          ))}
        </div>
      );
    case 'form':
      return <FormAnswer question={question} {...shared} />;
    case 'review':
      return <ReviewForm review={question} {...shared} />;
  }
}

const Send = ({ isBusy }: { readonly isBusy: boolean }) => (
  <Button type="submit" look="main" needs="agents:invoke" disabled={isBusy} className="self-start">
    {isBusy ? 'One moment …' : 'Answer'}
  </Button>
);

function TextAnswer({ isBusy, onAnswer, autoFocus }: ControlsProps) {
  const [text, setText] = useState('');
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(text);
      }}
    >
      <TextArea
        label="Your answer"
        rows={2}
        value={text}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person has just opened this question
        autoFocus={autoFocus}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (!isBusy) onAnswer(text);
        }}
      />
      <Send isBusy={isBusy} />
    </form>
  );
}

interface FormAnswerProps extends ControlsProps {
  readonly question: Extract<Question, { kind: 'form' }>;
}

function FormAnswer({ question: { fields, single }, isBusy, onAnswer }: FormAnswerProps) {
  const [entered, setEntered] = useState<FieldTexts>({});
  const [faults, setFaults] = useState<FieldTexts>({});
  const submit = () => {
    const outcome = valuesOf(fields, entered);
    setFaults('faults' in outcome ? outcome.faults : {});
    if ('value' in outcome) onAnswer(single ? Object.values(outcome.value)[0] : outcome.value);
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFields fields={fields} entered={entered} faults={faults} onEnter={setEntered} />
      <Send isBusy={isBusy} />
    </form>
  );
}

function JsonAnswer({ isBusy, onAnswer }: ControlsProps) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (isJson(text)) onAnswer(JSON.parse(text));
        else setFault('Enter JSON, such as "yes", true or {"ok": true}.');
      }}
    >
      <TextArea
        label="Your answer as JSON"
        className="font-mono text-xs"
        value={text}
        fault={fault}
        onChange={(event) => setText(event.target.value)}
      />
      <Send isBusy={isBusy} />
    </form>
  );
}
