import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Assistant } from '../../api/agent-threads.ts';
import { agentAt } from '../../api/clients.ts';
import { queryClient } from '../../api/query-client.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { instant } from '../../words/time-rules.ts';
import { schemasQuery } from './agent-queries.ts';
import { sampleInput, takesMessages } from './input-rules.ts';
import { JsonField, objectFrom } from './json-fields.tsx';

interface CronFormProps {
  readonly slug: string;
  readonly assistants: readonly Assistant[];
  readonly onClose: () => void;
}

/** Makes a cron. */
export function CronForm({ slug, assistants, onClose }: CronFormProps) {
  const [assistant_id, setAssistant] = useState(assistants.at(-1)?.assistant_id ?? '');
  const [schedule, setSchedule] = useState('0 9 * * 1-5');
  const [timezone, setTimezone] = useState(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [end, setEnd] = useState('');
  const [input, setInput] = useState<string>();
  const schemas = useQuery(schemasQuery(slug, assistant_id));
  const shown = input ?? JSON.stringify(inputFor(schemas.data?.input_schema), null, 2);
  const save = async () => {
    const cron = await agentAt(slug).createCron({
      body: {
        assistant_id,
        schedule,
        ...(timezone !== '' && { timezone }),
        ...(end !== '' && { end_time: new Date(end).toISOString() }),
        input: objectFrom('Input', shown),
      },
    });
    await queryClient.invalidateQueries({ queryKey: ['crons', slug] });
    say({
      text: cron.next_run_date === null ? 'The cron is made.' : `It runs ${instant(cron.next_run_date)}.`,
    });
  };
  return (
    <FormDialog title="New cron" submit="Create" isOpen wide onClose={onClose} onSubmit={save}>
      <div className="grid gap-4 md:grid-cols-2">
        <SelectField
          label="Assistant"
          value={assistant_id}
          onChange={(event) => setAssistant(event.target.value)}
          options={assistants.map(({ assistant_id: id, name }) => [id, name] as const)}
        />
        <TextField
          label="Schedule"
          hint="As crontab writes it: minute, hour, day, month, weekday"
          value={schedule}
          className="font-mono"
          onChange={(event) => setSchedule(event.target.value)}
        />
        <TextField
          label="Time zone"
          hint="UTC unless said"
          value={timezone}
          onChange={(event) => setTimezone(event.target.value)}
        />
        <TextField
          label="End (optional)"
          type="datetime-local"
          hint="No run begins after it."
          value={end}
          onChange={(event) => setEnd(event.target.value)}
        />
      </div>
      <JsonField label="Input" value={shown} onChange={setInput} height="9rem" />
    </FormDialog>
  );
}

const inputFor = (schema: unknown) =>
  takesMessages(schema)
    ? { messages: [{ role: 'user', content: 'What is new today?' }] }
    : sampleInput(schema);
