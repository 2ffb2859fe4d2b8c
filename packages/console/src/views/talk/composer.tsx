import {
  type ClipboardEvent,
  type Dispatch,
  type DragEvent,
  type FormEvent,
  type ReactNode,
  type SetStateAction,
  useRef,
  useState,
} from 'react';
import { Button } from '../../ui/button.tsx';
import { Editor } from '../../ui/editor.tsx';
import { control } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { say } from '../../ui/toasts.tsx';
import { bytes } from '../../words/number-rules.ts';
import { isJson } from '../../words/question-rules.ts';
import { type Attachment, contentOf, isTextFile, MOST_BYTES } from './attachment-rules.ts';
import { sampleInput, takesMessages } from './input-rules.ts';
import { tellFault } from './run-sessions.ts';

interface ComposerProps {
  readonly inputSchema: unknown;
  readonly isStarting: boolean;
  readonly isRunning: boolean;
  readonly isStopping: boolean;
  /** Resolves once the agent has taken the input. */
  readonly onSend: (input: unknown) => Promise<void>;
  readonly onStop: () => void;
}

/**
 * Where a person writes to an agent: in words with files, or the whole input as JSON. What is written in one way stays while
 * one looks at the other, or chooses another assistant.
 */
export function Composer({ inputSchema, isStarting, isRunning, isStopping, onSend, onStop }: ComposerProps) {
  const canWrite = takesMessages(inputSchema);
  const [asked, setAsked] = useState(false);
  const [text, setText] = useState('');
  const files = useAttachments();
  const [json, setJson] = useState<string>();
  const isJsonInput = asked || !canWrite;
  const buttons = (
    <>
      {canWrite && (
        <Button small look="quiet" aria-pressed={isJsonInput} onClick={() => setAsked(!asked)}>
          JSON
        </Button>
      )}
      {isRunning && (
        <Button needs="agents:invoke" disabled={isStopping} onClick={onStop}>
          <Icon name="stop" /> {isStopping ? 'Stopping …' : 'Stop'}
        </Button>
      )}
    </>
  );
  const because = isRunning
    ? 'The agent still answers; stop it first.'
    : isStarting
      ? 'The run is about to start.'
      : undefined;
  const shared = { because, onSend, buttons };
  if (!isJsonInput) return <WordsInput {...{ text, setText, files }} {...shared} />;
  const sample = JSON.stringify(sampleInput(inputSchema), null, 2);
  // An editor also tells of a sample that it is given, which is nobody's words.
  const write = (written: string) => setJson(written === sample ? undefined : written);
  return <JsonInput text={json ?? sample} onWrite={write} {...shared} />;
}

interface InputProps extends Pick<ComposerProps, 'onSend'> {
  /** Why nothing can be sent now. */
  readonly because: string | undefined;
  readonly buttons: ReactNode;
}

interface WordsInputProps extends InputProps {
  readonly text: string;
  readonly setText: Dispatch<SetStateAction<string>>;
  readonly files: Attachments;
}

function WordsInput({ text, setText, files, because, onSend, buttons }: WordsInputProps) {
  const isEmpty = text.trim() === '' && files.list.length === 0;
  const send = () => {
    if (isEmpty || because !== undefined) return;
    const sent = files.list;
    const message = { type: 'human', id: crypto.randomUUID(), content: contentOf(text, sent) };
    onSend({ messages: [message] }).then(() => {
      setText((now) => (now === text ? '' : now));
      files.without(sent);
    }, tellFault);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- files may be dropped; the button does the same
    <form
      aria-label="Write to the agent"
      className="flex flex-col gap-2"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event: DragEvent) => event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        void files.add(event.dataTransfer.files);
      }}
    >
      <FileList files={files} />
      <textarea
        aria-label="Message"
        placeholder="Write a message. Enter sends it, Shift Enter begins a line; files can be dropped here."
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        value={text}
        className={control}
        onChange={(event) => setText(event.target.value)}
        onPaste={(event: ClipboardEvent) => void files.add(event.clipboardData.files)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div className="flex items-center gap-2">
        <AttachButton onFiles={(list) => void files.add(list)} />
        {buttons}
        <Button
          type="submit"
          look="main"
          needs="agents:invoke"
          disabled={isEmpty}
          because={because}
          className="ml-auto"
        >
          Send
        </Button>
      </div>
    </form>
  );
}

interface JsonInputProps extends InputProps {
  readonly text: string;
  readonly onWrite: (text: string) => void;
}

function JsonInput({ text, onWrite, because, onSend, buttons }: JsonInputProps) {
  return (
    <form
      aria-label="Give the graph its input"
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(JSON.parse(text)).catch(tellFault);
      }}
    >
      <Editor label="Input as JSON" value={text} onChange={onWrite} height="9rem" />
      <div className="flex items-center gap-2">
        {buttons}
        <Button
          type="submit"
          look="main"
          needs="agents:invoke"
          because={because ?? (isJson(text) ? undefined : 'The input is not JSON yet.')}
          className="ml-auto"
        >
          Run
        </Button>
      </div>
    </form>
  );
}

type Attachments = ReturnType<typeof useAttachments>;

function useAttachments() {
  const [list, setList] = useState<readonly Attachment[]>([]);
  const held = useRef(list);
  const hold = (files: readonly Attachment[]) => {
    held.current = files;
    setList(files);
  };
  const add = async (given: FileList) => {
    const files = [...given];
    const read = await Promise.all(files.map((file) => readFile(file).catch(() => undefined)));
    const unread = files.filter((_file, index) => read[index] === undefined).map(({ name }) => name);
    if (unread.length > 0)
      say({ kind: 'error', text: `${unread.join(', ')} can’t be read; only files can be sent, no folders.` });
    // Two reads may overlap: the second one adds to what the first one left.
    const all = [...held.current, ...read.filter((one) => one !== undefined)];
    if (all.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES)
      say({ kind: 'error', text: `Files of a message may have ${bytes(MOST_BYTES)} together; take fewer.` });
    else hold(all);
  };
  return {
    list,
    add,
    without: (some: readonly Attachment[]) => hold(held.current.filter((one) => !some.includes(one))),
  };
}

async function readFile(file: File): Promise<Attachment> {
  const { name, size } = file;
  const type = file.type === '' ? 'application/octet-stream' : file.type;
  if (isTextFile({ name, type })) return { name, type, size, data: await file.text() };
  const url = await new Promise<string>((done, fail) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => done(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => fail(reader.error ?? new Error(`${name} could not be read.`)));
    reader.readAsDataURL(file);
  });
  return { name, type, size, data: url.slice(url.indexOf(',') + 1) };
}

function AttachButton({ onFiles }: { readonly onFiles: (files: FileList) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={(event) => {
          if (event.target.files !== null) onFiles(event.target.files);
          event.target.value = '';
        }}
      />
      <Button small look="quiet" needs="agents:invoke" onClick={() => input.current?.click()}>
        <Icon name="plus" className="size-3.5" /> Files
      </Button>
    </>
  );
}

const FileList = ({ files: { list, without } }: { readonly files: Attachments }) =>
  list.length === 0 ? null : (
    <ul aria-label="Files to send" className="flex flex-wrap gap-2">
      {list.map((file, index) => (
        <li key={index} className="flex items-center gap-1 rounded-md border border-line px-2 py-0.5 text-xs">
          <span className="max-w-48 truncate">{file.name}</span>{' '}
          <span className="text-quiet">{bytes(file.size)}</span>
          <button type="button" aria-label={`Leave out ${file.name}`} onClick={() => without([file])}>
            <Icon name="close" className="size-3" />
          </button>
        </li>
      ))}
    </ul>
  );
