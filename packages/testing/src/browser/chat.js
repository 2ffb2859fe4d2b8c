import { useStream as useEventStream } from '@langchain/react';
import { useStream as useRunStream } from '@langchain/langgraph-sdk/react';
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** A chat as front ends build it: by the hook that follows runs, or by the one that follows events of the thread. */

const asked = new URL(location.href).searchParams;
const options = {
  apiUrl: asked.get('api') ?? location.origin,
  apiKey: asked.get('key') ?? undefined,
  assistantId: asked.get('assistant'),
  reconnectOnMount: true,
};

function useThread() {
  const [threadId, setThreadId] = useState(() => location.hash.slice(1) || null);
  const onThreadId = (id) => {
    location.hash = id;
    setThreadId(id);
  };
  return { threadId, onThreadId };
}

function useRuns() {
  const stream = useRunStream({ ...options, ...useThread() });
  return { stream, answer: (resume) => stream.submit(undefined, { command: { resume } }) };
}

function useEvents() {
  const stream = useEventStream({ ...options, ...useThread() });
  return { stream, answer: (response) => stream.respond(response) };
}

const textOf = ({ content }) =>
  typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('');

function Chat({ use }) {
  const [text, setText] = useState('');
  const { stream, answer } = use();
  const send = (event) => {
    event.preventDefault();
    setText('');
    if (stream.interrupt) answer(text);
    else stream.submit({ messages: [{ type: 'human', content: text }] });
  };
  return h(
    'main',
    null,
    h(
      'ol',
      null,
      stream.messages.map((message, at) => h('li', { key: message.id ?? at }, textOf(message))),
    ),
    stream.interrupt ? h('p', { role: 'alert' }, JSON.stringify(stream.interrupt.value)) : null,
    h('p', { role: 'status' }, stream.isLoading ? 'at work' : 'at rest'),
    h(
      'form',
      { onSubmit: send },
      h('input', {
        'aria-label': 'Message',
        value: text,
        onChange: ({ target }) => setText(target.value),
      }),
      h('button', null, 'Send'),
    ),
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(
  h(Chat, { use: asked.get('hook') === 'events' ? useEvents : useRuns }),
);
