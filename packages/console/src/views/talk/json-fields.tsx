import { Editor } from '../../ui/editor.tsx';

interface JsonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly height?: string;
}

/** An editor of JSON with its name above it. */
export const JsonField = ({ label, value, onChange, height = '7rem' }: JsonFieldProps) => (
  <div className="flex flex-col gap-1">
    <span className="font-medium">{label}</span>
    <Editor label={label} value={value} onChange={onChange} height={height} />
  </div>
);

/** A JSON object that somebody wrote; an error that names the field is shown by its form. */
export function objectFrom(label: string, text: string): Record<string, unknown> {
  const value = valueFrom(label, text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${label} must be a JSON object, such as {"a": 1}.`);
  return value as Record<string, unknown>;
}

function valueFrom(label: string, text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${label} is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
