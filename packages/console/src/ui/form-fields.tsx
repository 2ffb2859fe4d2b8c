import type { FieldTexts, FormField } from '../words/question-rules.ts';
import { CheckField, SelectField, TextArea, TextField } from './fields.tsx';

interface FormFieldsProps {
  readonly fields: readonly FormField[];
  readonly entered: FieldTexts;
  readonly faults: FieldTexts;
  readonly onEnter: (entered: FieldTexts) => void;
}

/** Controls for fields that are known only as data. */
export const FormFields = ({ fields, entered, faults, onEnter }: FormFieldsProps) => (
  <div className="flex flex-col gap-3">
    {fields.map((field) => (
      <OneField
        key={field.name}
        field={field}
        value={entered[field.name] ?? field.initial}
        fault={faults[field.name]}
        onEnter={(value) => onEnter({ ...entered, [field.name]: value })}
      />
    ))}
  </div>
);

interface OneFieldProps {
  readonly field: FormField;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onEnter: (value: string) => void;
}

function OneField({
  field: { label, hint, kind, options, is_required },
  value,
  fault,
  onEnter,
}: OneFieldProps) {
  const shared = { label: is_required ? label : `${label} (optional)`, hint, fault };
  if (kind === 'boolean')
    return (
      <CheckField
        label={label}
        hint={hint}
        checked={value === 'true'}
        onChange={(event) => onEnter(String(event.target.checked))}
      />
    );
  if (kind === 'choice')
    return (
      <SelectField
        {...shared}
        value={value}
        options={[['', 'Choose …'], ...options]}
        onChange={(event) => onEnter(event.target.value)}
      />
    );
  if (kind === 'long' || kind === 'json')
    return (
      <TextArea
        {...shared}
        value={value}
        rows={Math.min(10, Math.max(2, value.split('\n').length))}
        className={kind === 'json' ? 'font-mono text-xs' : ''}
        onChange={(event) => onEnter(event.target.value)}
      />
    );
  return (
    <TextField
      {...shared}
      value={value}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      onChange={(event) => onEnter(event.target.value)}
    />
  );
}
