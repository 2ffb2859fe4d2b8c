import { useQuery } from '@tanstack/react-query';
import { projectChoiceQuery } from '../../api/project-choice.ts';
import { SelectField, TextArea, TextField } from '../../ui/fields.tsx';
import { type AlertForm, type AlertMetric, metrics, windows } from './alert-rules.ts';

interface AlertFieldsProps {
  readonly form: AlertForm;
  readonly onChange: (form: AlertForm) => void;
}

/** The fields of an alert: what is measured, when it fires, and who is told. */
export function AlertFields({ form, onChange }: AlertFieldsProps) {
  const { data: projects = [] } = useQuery(projectChoiceQuery);
  const field = (name: keyof AlertForm) => ({
    value: form[name],
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ ...form, [name]: event.target.value }),
  });
  const { unit } = metrics[form.metric];
  return (
    <>
      <TextField label="Name" required {...field('name')} />
      <SelectField
        label="Project"
        options={[['', 'All projects'], ...projects.map(({ id, name }) => [id, name] as const)]}
        {...field('project')}
      />
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
        <SelectField label="Over the last" options={windows} {...field('window_s')} />
        <TextField
          label="Is over at"
          hint="Empty: at the threshold"
          inputMode="decimal"
          {...field('resolve_threshold')}
        />
      </div>
      <TextField
        label="Evaluations before it fires"
        hint="One after the other; more than 1 leaves out short peaks"
        type="number"
        min={1}
        max={60}
        {...field('breaches_to_fire')}
      />
      <TextField label="Only runs that match" hint="The filter language; empty: all" {...field('filter')} />
      <TextField label="Webhook" hint="An address that gets a signed call" type="url" {...field('webhook')} />
      <TextArea
        label="Mail to"
        hint="Addresses, where the operator named a mail server"
        rows={2}
        {...field('mail_to')}
      />
    </>
  );
}
