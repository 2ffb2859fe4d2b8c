import { Editor } from '../../ui/editor.tsx';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { Card } from '../../ui/page.tsx';
import type { ParametersForm } from './parameter-rules.ts';

interface ParametersProps {
  readonly form: ParametersForm;
  readonly onChange: (form: ParametersForm) => void;
}

export function Parameters({ form, onChange }: ParametersProps) {
  const set = (change: Partial<ParametersForm>) => onChange({ ...form, ...change });
  return (
    <Card title="Parameters">
      <div className="flex flex-col gap-4">
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
          <TextField
            label="Temperature"
            type="number"
            min={0}
            max={2}
            step="any"
            value={form.temperature}
            onChange={({ target }) => set({ temperature: target.value })}
          />
          <TextField
            label="Top P"
            type="number"
            min={0}
            max={1}
            step="any"
            value={form.top_p}
            onChange={({ target }) => set({ top_p: target.value })}
          />
          <TextField
            label="Most tokens"
            type="number"
            min={1}
            value={form.max_tokens}
            onChange={({ target }) => set({ max_tokens: target.value })}
          />
        </div>
        <TextArea
          label="Stop at"
          hint="Texts at which the model ends; one a line."
          rows={2}
          value={form.stop}
          onChange={({ target }) => set({ stop: target.value })}
        />
        <JsonPart label="Tools" value={form.tools} onChange={(tools) => set({ tools })} />
        <TextField
          label="Tool choice"
          hint="auto, none, required, or the name of a tool."
          value={form.tool_choice}
          onChange={({ target }) => set({ tool_choice: target.value })}
        />
        <JsonPart
          label="JSON schema of the answer"
          value={form.schema}
          onChange={(schema) => set({ schema })}
        />
        <JsonPart
          label="More for the provider"
          value={form.extra_body}
          onChange={(extra_body) => set({ extra_body })}
        />
      </div>
    </Card>
  );
}

interface JsonPartProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An editor that is open where it holds something. */
const JsonPart = ({ label, value, onChange }: JsonPartProps) => (
  <details open={value !== ''} className="rounded-md">
    <summary className="cursor-pointer font-medium">{label}</summary>
    <div className="pt-2">
      <Editor label={label} value={value} onChange={onChange} height="9rem" />
    </div>
  </details>
);
