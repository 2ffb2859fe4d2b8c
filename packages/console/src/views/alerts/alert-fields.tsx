import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { projectChoices } from '../../api/choices.ts';
import { ChoiceField } from '../../choices/choice-field.tsx';
import { FilterField } from '../../filters/filter-box.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/fields.tsx';
import { type AlertForm, type AlertMetric, metrics, windowOptions } from './alert-rules.ts';

interface AlertFieldsProps {
  readonly form: AlertForm;
  readonly onChange: (form: AlertForm) => void;
}

/** The fields of an alert: what is measured, when it fires, and who is told. */
export function AlertFields({ form, onChange }: AlertFieldsProps) {
  const field = (name: Exclude<keyof AlertForm, 'projects' | 'notify_no_data' | 'webhooks' | 'mail_to'>) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ ...form, [name]: event.target.value }),
  });
  const { unit } = metrics[form.metric];
  const [first_window] = useState(form.window_s);
  return (
    <>
      <TextField label="Name" required {...field('name')} />
      <Projects projects={form.projects} onChange={(projects) => onChange({ ...form, projects })} />
      <SelectField
        label="Figure"
        options={(Object.keys(metrics) as AlertMetric[]).map(
          (metric) => [metric, metrics[metric].label] as const,
        )}
        {...field('metric')}
      />
      {form.metric.startsWith('feedback_') && (
        <TextField label="Key of the feedback" required {...field('feedback_key')} />
      )}
      <div className="grid grid-cols-2 gap-3">
        <SelectField
          label="Fires when it is"
          options={[
            ['above', 'above'],
            ['below', 'below'],
          ]}
          {...field('comparison')}
        />
        <TextField label="Threshold" hint={unit} required inputMode="decimal" {...field('threshold')} />
        <SelectField label="Over the last" options={windowOptions(first_window)} {...field('window_s')} />
        <TextField
          label="Is over at"
          hint="Empty: at the threshold"
          inputMode="decimal"
          {...field('resolve_threshold')}
        />
      </div>
      <Evaluations form={form} onChange={onChange} />
      <SelectField
        label="Counts"
        options={[
          ['roots', 'Whole traces'],
          ['all', 'Every run'],
        ]}
        {...field('runs')}
      />
      <RunFilter form={form} onChange={onChange} />
      <Receivers form={form} onChange={onChange} />
    </>
  );
}

/** How often in a row it must be so before its state changes. */
const Evaluations = ({ form, onChange }: AlertFieldsProps) => (
  <div className="grid grid-cols-2 gap-3">
    <TextField
      label="Evaluations before it fires"
      hint="One after the other; more than 1 leaves out short peaks"
      type="number"
      min={1}
      max={60}
      value={form.breaches_to_fire}
      onChange={({ target }) => onChange({ ...form, breaches_to_fire: target.value })}
    />
    <TextField
      label="Evaluations before it is over"
      hint="One after the other"
      type="number"
      min={1}
      max={60}
      value={form.clears_to_resolve}
      onChange={({ target }) => onChange({ ...form, clears_to_resolve: target.value })}
    />
  </div>
);

const RunFilter = ({ form, onChange }: AlertFieldsProps) => (
  <FilterField
    label="Only runs that match"
    hint="The filter language; empty: all"
    project={form.projects[0]}
    value={form.filter}
    onChange={(filter) => onChange({ ...form, filter })}
  />
);

/** Who is told, and whether of a lack of data as well. */
const Receivers = ({ form, onChange }: AlertFieldsProps) => (
  <>
    <CheckField
      label="Also tell where nothing can be measured"
      checked={form.notify_no_data}
      onChange={({ target }) => onChange({ ...form, notify_no_data: target.checked })}
    />
    <TextArea
      label="Webhooks"
      hint="Addresses that get a signed call, one a line"
      rows={2}
      value={form.webhooks}
      onChange={({ target }) => onChange({ ...form, webhooks: target.value })}
    />
    <TextArea
      label="Mail to"
      hint="Addresses, where the operator named a mail server"
      rows={2}
      value={form.mail_to}
      onChange={({ target }) => onChange({ ...form, mail_to: target.value })}
    />
  </>
);

interface ProjectsProps {
  readonly projects: readonly string[];
  readonly onChange: (projects: readonly string[]) => void;
}

/** The projects whose runs count: the first in a field of its own, and further ones below. */
function Projects({ projects, onChange }: ProjectsProps) {
  const [first = '', ...further] = projects;
  return (
    <>
      <ChoiceField
        of={projectChoices}
        label="Project"
        before={[['', 'All projects']]}
        value={first}
        onChange={(id) => onChange(id === '' ? further : [...new Set([id, ...further])])}
      />
      {further.length > 0 && (
        <ul aria-label="Further projects" className="flex flex-wrap gap-2">
          {further.map((id) => (
            <li key={id}>
              <FurtherProject id={id} onRemove={() => onChange(projects.filter((one) => one !== id))} />
            </li>
          ))}
        </ul>
      )}
      {first !== '' && (
        <ChoiceField
          of={projectChoices}
          label="And"
          before={[['', 'No further project']]}
          value=""
          onChange={(id) => onChange([...new Set([...projects, id])])}
        />
      )}
    </>
  );
}

function FurtherProject({ id, onRemove }: { readonly id: string; readonly onRemove: () => void }) {
  const { data: name } = useQuery(projectChoices.name(id));
  return (
    <Button small onClick={onRemove} aria-label={`Leave out ${name ?? id}`}>
      {name ?? id} ×
    </Button>
  );
}
