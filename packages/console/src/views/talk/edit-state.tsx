import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { threadChanged } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Editor } from '../../ui/editor.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { graphQuery, type ThreadState, threadQuery } from './agent-queries.ts';
import { changedValues } from './edit-state-rules.ts';
import { useTalk } from './talk-address.ts';

interface EditStateProps {
  readonly state: ThreadState;
  readonly onClose: () => void;
}

/** Writes values into a state; it becomes a step of its own, and an earlier one forks the thread. */
export function EditState({ state, onClose }: EditStateProps) {
  const { slug, search, show } = useTalk();
  const thread_id = search.thread ?? '';
  const [text, setText] = useState(() => JSON.stringify(state.values, null, 2));
  const [as_node, setNode] = useState('');
  const nodes = useNodes();
  const save = async () => {
    const values = changedValues(state.values, JSON.parse(text));
    await agentAt(slug).updateThreadState({
      params: { thread_id },
      body: {
        values: { ...values },
        ...(as_node !== '' && { as_node }),
        ...(state.checkpoint_id !== null && { checkpoint_id: state.checkpoint_id }),
      },
    });
    await threadChanged(slug, thread_id);
    show({ checkpoint: undefined });
    say({ text: 'The state is written as a new step.' });
  };
  return (
    <FormDialog title="Edit the state" submit="Write the state" isOpen wide onClose={onClose} onSubmit={save}>
      <p className="text-quiet">
        Only the fields that you change are written, as if a node had returned them: messages with a known id
        replace theirs, others are added.
      </p>
      <Editor label="Values as JSON" value={text} onChange={setText} height="20rem" />
      <SelectField
        label="As if it came from"
        hint="What comes next depends on it."
        value={as_node}
        onChange={(event) => setNode(event.target.value)}
        options={[['', 'The node that ran last'], ...nodes.map((node) => [node, node] as const)]}
      />
    </FormDialog>
  );
}

/** The nodes of the graph itself; those of subgraphs have states of their own. */
function useNodes(): readonly string[] {
  const { slug, search } = useTalk();
  const thread = useQuery(threadQuery(slug, search.thread ?? ''));
  const assistant = search.assistant ?? thread.data?.metadata['assistant_id'];
  const id = typeof assistant === 'string' ? assistant : '';
  const { data } = useQuery({ ...graphQuery(slug, id), enabled: id !== '' });
  return (data?.nodes ?? [])
    .map((node) => String(node['id']))
    .filter((node) => !node.includes(':') && node !== '__end__');
}
