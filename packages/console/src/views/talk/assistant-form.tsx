import { useState } from 'react';
import type { Assistant } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { queryClient } from '../../api/query-client.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { JsonField, objectFrom } from './json-fields.tsx';

interface AssistantFormProps {
  readonly slug: string;
  readonly graphs: readonly string[];
  /** The assistant that gets a new version; without one another is created. */
  readonly assistant?: Assistant;
  readonly onClose: () => void;
  readonly onSaved?: (assistant: Assistant) => void;
}

const written = (value: object | undefined) => JSON.stringify(value ?? {}, null, 2);

/** Creates an assistant, or changes one by a new version. */
export function AssistantForm({ slug, graphs, assistant, onClose, onSaved }: AssistantFormProps) {
  const [graph, setGraph] = useState(assistant?.graph_id);
  // The form may open before the graphs are read.
  const graph_id = graph ?? graphs[0] ?? '';
  const [name, setName] = useState(assistant?.name ?? '');
  const [description, setDescription] = useState(assistant?.description ?? '');
  const [config, setConfig] = useState(() => written(assistant?.config));
  const [context, setContext] = useState(() => written(assistant?.context));
  const [metadata, setMetadata] = useState(() => written(assistant?.metadata));
  const save = async () => {
    if (name.trim() === '') throw new Error('Enter a name.');
    if (graph_id === '')
      throw new Error('The graphs of the deployment are not read yet; save again in a moment.');
    const body = {
      graph_id,
      name,
      ...(description !== (assistant?.description ?? '') && { description }),
      // The server keeps context and config.configurable alike, and refuses two that differ: only what was changed is sent.
      ...(config !== written(assistant?.config) && { config: objectFrom('Config', config) }),
      ...(context !== written(assistant?.context) && { context: objectFrom('Context', context) }),
      ...(metadata !== written(assistant?.metadata) && { metadata: objectFrom('Metadata', metadata) }),
    };
    const saved =
      assistant === undefined
        ? await agentAt(slug).createAssistant({ body })
        : await agentAt(slug).patchAssistant({ params: { assistant_id: assistant.assistant_id }, body });
    await queryClient.invalidateQueries({ queryKey: ['assistants', slug] });
    say({ text: `${saved.name} is saved as version ${saved.version}.` });
    onSaved?.(saved);
  };
  return (
    <FormDialog
      title={assistant === undefined ? 'New assistant' : `New version of ${assistant.name}`}
      submit="Save"
      isOpen
      wide
      onClose={onClose}
      onSubmit={save}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField label="Name" value={name} onChange={(event) => setName(event.target.value)} />
        <SelectField
          label="Graph"
          value={graph_id}
          onChange={(event) => setGraph(event.target.value)}
          options={graphs.map((graph) => [graph, graph] as const)}
        />
      </div>
      <TextArea
        label="Description"
        rows={2}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <JsonField label="Config" value={config} onChange={setConfig} />
      <div className="grid gap-4 md:grid-cols-2">
        <JsonField label="Context" value={context} onChange={setContext} />
        <JsonField label="Metadata" value={metadata} onChange={setMetadata} />
      </div>
    </FormDialog>
  );
}
