import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { traces } from '../../api/clients.ts';
import { allDone, removeFeedback } from '../../api/feedback.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { Editor } from '../../ui/editor.tsx';
import { TextArea } from '../../ui/fields.tsx';
import { useShortcuts } from '../../ui/keys.ts';
import { say } from '../../ui/toasts.tsx';
import { pretty, readObject } from '../../words/value-rules.ts';
import { AddToDataset } from './add-to-dataset.tsx';
import type { feedbackQuery, QueueItem, QueueWithRubric, Run } from './queue-queries.ts';
import { QuestionList } from './question-list.tsx';
import { answersOf, CORRECTION, NOTE, ownFeedback, piecesOf, takenBack } from './review-rules.ts';
import {
  type Answers,
  asked,
  choicesOf,
  type Config,
  configOf,
  neighbour,
  type Reply,
  unanswered,
} from './rubric-rules.ts';
import { setStatus, type Turn } from './turn.ts';

type Feedback = Awaited<ReturnType<NonNullable<ReturnType<typeof feedbackQuery>['queryFn']>>>;

interface ReviewFormProps {
  readonly queue: QueueWithRubric;
  readonly item: QueueItem;
  readonly run: Run;
  readonly turn: Turn;
  readonly configs: ReadonlyMap<string, Config>;
  /** The feedback that the run has. */
  readonly given: Feedback;
  /** The actor who reviews. */
  readonly reviewer: string;
}

/** The questions, a comment and a correction; all of it works by keyboard. */
export function ReviewForm(props: ReviewFormProps) {
  const { queue, run, turn, configs } = props;
  const review = useReview(props);
  const { questions, answers, active, work } = review;
  const [isAdding, setAdding] = useState(false);
  const noteField = useRef<HTMLTextAreaElement>(null);
  /** Counts how often a correction was begun: each time its editor has the focus. */
  const [begun, setBegun] = useState(0);
  const begin = () => {
    setBegun(begun + 1);
    review.setCorrection(review.correction ?? pretty(run.outputs));
  };
  useShortcuts([
    ...Array.from({ length: 9 }, (_, index) => ({
      key: String(index + 1),
      does: `Choose answer ${index + 1}`,
      needs: 'feedback:write' as const,
      run: () => review.choose(index),
    })),
    { key: 'j', does: 'Next question', run: () => review.step(1) },
    { key: 'k', does: 'Previous question', run: () => review.step(-1) },
    { key: 'c', does: 'Write a comment', needs: 'feedback:write', run: () => noteField.current?.focus() },
    { key: 'e', does: 'Correct the outputs', needs: 'feedback:write', run: begin },
    { key: 'a', does: 'Add to a dataset', needs: 'datasets:write', run: () => setAdding(true) },
    { key: 'd', does: 'Done', needs: 'feedback:write', run: review.done },
    { key: 'mod+enter', does: 'Done, also while typing', needs: 'feedback:write', run: review.done },
    { key: 's', does: 'Skip: it comes again at the end', needs: 'feedback:write', run: work.skip },
    { key: 'n', does: 'Next, without a word', needs: 'feedback:write', run: work.next },
  ]);
  return (
    <>
      <QuestionList
        questions={questions}
        configs={configs}
        answers={answers}
        active={active}
        onActive={review.setActive}
        onAnswer={review.answer}
      />
      <TextArea
        label="Comment (c)"
        rows={2}
        ref={noteField}
        value={review.note}
        onChange={({ target }) => review.setNote(target.value)}
      />
      <Correction
        text={review.correction}
        key={begun}
        isBegun={begun > 0}
        onChange={review.setCorrection}
        onBegin={begin}
      />
      {work.fault !== undefined && (
        <p role="alert" className="border-l-4 border-bad bg-bad-soft px-3 py-2 wrap-anywhere text-bad">
          {work.fault}
        </p>
      )}
      <Actions turn={turn} work={work} onDone={review.done} onAdd={() => setAdding(true)} />
      {isAdding && (
        <AddToDataset
          run={run}
          outputs={review.correction ?? pretty(run.outputs)}
          default_dataset={queue.default_dataset}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}

/** What is said so far, and how it is kept. */
function useReview(props: ReviewFormProps) {
  const { queue, item, turn, configs, given, reviewer } = props;
  const rubric = queue.rubric_items ?? [];
  const [own] = useState(() => ownFeedback(given, { queue_id: queue.id, reviewer }));
  const [answers, setAnswers] = useState<Answers>(() => answersOf(own));
  const [note, setNote] = useState(own.get(NOTE)?.comment ?? '');
  const [correction, setCorrection] = useState(() => correctionText(own.get(CORRECTION)));
  const [wanted, setActive] = useState(rubric[0]?.feedback_key);
  const questions = asked(rubric, answers);
  const current = questions.find(({ feedback_key }) => feedback_key === wanted) ?? questions[0];
  const active = current?.feedback_key;
  const work = useReviewWork(props, own);
  const step = (by: number) => setActive(neighbour(questions, { key: active, step: by }));
  const answer = (key: string, reply: Reply) => {
    work.forgive();
    setAnswers(new Map(answers).set(key, reply));
  };
  const choose = (index: number) => {
    const choice = current && choicesOf(configOf(current, configs))[index];
    if (choice === undefined || active === undefined) return;
    answer(active, { score: choice.value });
    step(1);
  };
  const done = () =>
    work.run(async () => {
      const missing = unanswered(rubric, answers).map(({ feedback_key }) => feedback_key);
      if (missing.length > 0) throw new Error(`Answer ${missing.join(', ')} first.`);
      await work.give(piecesOf({ rubric, configs, answers, note, correction: corrected(correction) }));
      await setStatus(item.id, { status: 'completed' });
      say({ text: 'Done.' });
      await turn.refresh();
      turn.goNext();
    });
  return {
    questions,
    answers,
    answer,
    active,
    setActive,
    step,
    choose,
    note,
    setNote,
    correction,
    setCorrection,
    work,
    done,
  };
}

function correctionText(one: { readonly correction: unknown } | undefined): string | undefined {
  const value = one?.correction;
  return typeof value === 'object' && value !== null ? pretty(value) : undefined;
}

function corrected(text: string | undefined) {
  if (text === undefined) return undefined;
  const read = readObject(text);
  if (read.kind === 'fault') throw new Error(`The correction ${read.fault}`);
  return read.value ?? undefined;
}

type Own = ReadonlyMap<string, { readonly id: string }>;

/** Gives feedback and moves on; one step at a time. */
function useReviewWork({ queue, item, run, turn, reviewer }: ReviewFormProps, own: Own) {
  const client = useQueryClient();
  // The ids of all that was written, here or before: a second attempt overwrites what the first one reached.
  const ids = useRef(new Map([...own].map(([key, { id }]) => [key, id]))).current;
  const [state, setState] = useState<{ readonly busy: boolean; readonly fault?: string }>({ busy: false });
  const attempt = (work: () => Promise<void>) => {
    if (state.busy || !mayDo('feedback:write')) return;
    setState({ busy: true });
    work().then(
      () => setState({ busy: false }),
      (error: Error) => setState({ busy: false, fault: error.message }),
    );
  };
  const give = async (pieces: ReturnType<typeof piecesOf>) => {
    const rubric = queue.rubric_items ?? [];
    const feedback_source = { type: 'app', metadata: { annotation_queue_id: queue.id, reviewer } };
    const writes = pieces.map(({ key, ...said }) => {
      const before = own.get(key);
      if (before !== undefined && ids.get(key) === before.id)
        return traces.patchFeedback({ params: { feedback_id: before.id }, body: said });
      const id = ids.get(key) ?? crypto.randomUUID();
      ids.set(key, id);
      return traces.createFeedback({ body: { id, run_id: run.id, key, ...said, feedback_source } });
    });
    const removals = takenBack({ said: ids.keys(), rubric, pieces }).map(async (key) => {
      await removeFeedback(ids.get(key) ?? '');
      ids.delete(key);
    });
    try {
      await allDone([...writes, ...removals]);
    } finally {
      await client.invalidateQueries({ queryKey: ['feedback', 'of run', run.id] });
    }
  };
  const skip = () =>
    attempt(async () => {
      await setStatus(item.id, { status: null, override_added_at: new Date().toISOString() });
      turn.forget(item.id);
      say({ text: 'Skipped: it comes again at the end.' });
      await turn.refresh();
      turn.goNext();
    });
  const next = () =>
    attempt(async () => {
      await setStatus(item.id, { status: null });
      turn.goNext();
    });
  const forgive = () => {
    if (!state.busy) setState({ busy: false });
  };
  return { run: attempt, forgive, give, skip, next, fault: state.fault, isBusy: state.busy };
}

interface CorrectionProps {
  readonly text: string | undefined;
  /** Whether somebody has just asked to write it. */
  readonly isBegun: boolean;
  readonly onChange: (text: string | undefined) => void;
  readonly onBegin: () => void;
}

const Correction = ({ text, isBegun, onChange, onBegin }: CorrectionProps) =>
  text === undefined ? (
    <Button small needs="feedback:write" onClick={onBegin} className="self-start">
      Correct the outputs (e)
    </Button>
  ) : (
    <div className="flex flex-col gap-1">
      <div className="flex items-center">
        <h3 className="font-medium">Corrected outputs</h3>
        <Button small look="quiet" className="ml-auto" onClick={() => onChange(undefined)}>
          No correction
        </Button>
      </div>
      <Editor
        label="Corrected outputs"
        value={text}
        onChange={onChange}
        height="9rem"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it appears because one asked to type into it
        autoFocus={isBegun}
      />
    </div>
  );

interface ActionsProps {
  readonly turn: Turn;
  readonly work: ReturnType<typeof useReviewWork>;
  readonly onDone: () => void;
  readonly onAdd: () => void;
}

const Actions = ({ turn, work, onDone, onAdd }: ActionsProps) => (
  <div className="flex flex-wrap gap-2">
    <Button look="main" needs="feedback:write" disabled={work.isBusy} onClick={onDone}>
      Done (d)
    </Button>
    <Button needs="feedback:write" disabled={work.isBusy} onClick={work.skip}>
      Skip (s)
    </Button>
    <Button needs="datasets:write" onClick={onAdd}>
      Add to a dataset (a)
    </Button>
    <Button disabled={!turn.hasPrevious} onClick={turn.goPrevious}>
      Previous (p)
    </Button>
    <Button needs="feedback:write" disabled={work.isBusy} onClick={work.next}>
      Next (n)
    </Button>
  </div>
);
