import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { control } from '../../api/clients.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/fields.tsx';
import { GoTo } from '../../ui/link.tsx';
import { Card } from '../../ui/page.tsx';
import { say } from '../../ui/toasts.tsx';
import { refreshDeployments } from './deployment-queries.ts';
import type { Variable } from './environment-rules.ts';
import { Fault } from './fault.tsx';
import type { Faults } from './fault-rules.ts';
import { useForm } from './form.ts';
import { integrationsQuery, listenersQuery } from './new-queries.ts';
import { fieldsOf, type NewField, newFields, NAMING, type NewValues, requestOf } from './new-rules.ts';
import type { PackedSource } from './pack-source.ts';
import { SourceDrop } from './source-drop.tsx';
import { nameFrom, type SourceChoice } from './source-rules.ts';
import { TemplateChoice } from './template-choice.tsx';
import { uploadSource } from './upload.ts';
import { VariableRows } from './variable-rows.tsx';

interface NewFormProps {
  readonly from: SourceChoice;
}

/** The fields of one source. The name follows what is chosen until somebody types one. */
export function NewForm({ from }: NewFormProps) {
  const form = useNewDeployment(from);
  const { values, faults, set, secrets, setSecrets } = form;
  return (
    <form onSubmit={form.submit} className="flex flex-col gap-4">
      <Card title="Source">
        <div className="flex flex-col gap-4">
          {from === 'template' && (
            <TemplateChoice
              value={values['source_config.template_id']}
              fault={faults.fields['source_config.template_id']}
              onChoose={({ id, variables }) => {
                set('source_config.template_id', id);
                setSecrets(variables.map(({ name }) => ({ name, value: '', is_suggested: true })));
              }}
            />
          )}
          {from === 'upload' && <SourceDrop label="Source" packed={form.packed} onPacked={form.setPacked} />}
          {from === 'git' && <IntegrationField form={form} />}
          <Fields fields={newFields[from].main} form={form} />
          {from === 'image' && <ListenerField form={form} />}
          {from === 'git' && (
            <CheckField
              label="Deploy when the branch is pushed to"
              checked={form.isOnPush}
              onChange={(event) => form.setOnPush(event.target.checked)}
            />
          )}
          {newFields[from].more.length > 0 && (
            <details>
              <summary className="cursor-pointer text-quiet">How it is built</summary>
              <div className="flex flex-col gap-4 pt-3">
                <Fields fields={newFields[from].more} form={form} />
              </div>
            </details>
          )}
        </div>
      </Card>
      <Card title="Name">
        <Fields fields={naming} form={form} />
      </Card>
      <Card title="Environment">
        {faults.fields['secrets'] !== undefined && <Fault>{faults.fields['secrets']}</Fault>}
        <VariableRows variables={secrets} onChange={setSecrets} />
        {secrets.some(({ is_suggested = false }) => is_suggested) && (
          <p className="pt-2 text-xs text-quiet">Those of the template are set once they have a value.</p>
        )}
      </Card>
      {faults.rest !== undefined && <Fault>{faults.rest}</Fault>}
      <div>
        <Button type="submit" look="main" needs="deployments:write" disabled={form.busy}>
          {form.busy ? 'One moment …' : 'Deploy'}
        </Button>
      </div>
    </form>
  );
}

const naming: readonly NewField[] = [
  {
    field: 'name',
    label: 'Name',
    hint: 'In its address: lower-case letters, digits and hyphens. It never changes.',
    isRequired: true,
  },
];

type Form = ReturnType<typeof useNewDeployment>;

function useNewDeployment(from: SourceChoice) {
  const client = useQueryClient();
  const go = useGo();
  const [values, setValues] = useState<NewValues>(() => initialValues(from));
  const [secrets, setSecrets] = useState<readonly Variable[]>([]);
  const [isOnPush, setOnPush] = useState(false);
  const [packed, setPacked] = useState<PackedSource>();
  /** The deployment that was made already, where its upload failed. */
  const made = useRef<MadeDeployment>(undefined);
  const named = NAMING[from];
  const name = values['name'] ?? nameFrom(packed?.name ?? (named && values[named]) ?? '');
  const set = (field: string, value: string) => setValues({ ...values, [field]: value });
  const onSubmit = async () => {
    if (from === 'upload' && packed === undefined)
      throw new Error('Choose what to deploy first: a folder, or an archive of one.');
    const body = requestOf({ from, values: { ...values, name }, build_on_push: isOnPush, secrets });
    const before = made.current?.name === name ? made.current : undefined;
    const { id } = before ?? (await control.createDeployment({ body }));
    made.current = before ?? { id, name, secrets: body.secrets };
    if (packed !== undefined) await deploySource(id, { packed, body, made_with: before?.secrets });
    await refreshDeployments(client);
    say({ text: `${name} is on its way.` });
    go(at.deployment(id));
  };
  const state = useForm({ fields: fieldsOf(from), onSubmit });
  const all: NewValues = { ...values, name };
  return { ...state, values: all, set, secrets, setSecrets, isOnPush, setOnPush, packed, setPacked };
}

const initialValues = (from: SourceChoice): NewValues =>
  Object.fromEntries(newFields[from].main.map(({ field, initial = '' }) => [field, initial]));

interface MadeDeployment {
  readonly id: string;
  readonly name: string;
  readonly secrets: readonly Variable[];
}

interface FirstSource {
  readonly packed: PackedSource;
  readonly body: ReturnType<typeof requestOf>;
  /** The variables of a deployment that an earlier try made: the form may have others by now. */
  readonly made_with: readonly Variable[] | undefined;
}

async function deploySource(id: string, { packed, body, made_with }: FirstSource): Promise<void> {
  const { source_config, source_revision_config, secrets } = body;
  const params = { deployment_id: id };
  const source_tarball_path = await uploadSource(id, packed);
  await control.patchDeployment({
    params,
    body: {
      revision_source: 'internal_source',
      source_revision_config: { ...source_revision_config, source_tarball_path },
      ...(made_with !== undefined && { source_config, secrets }),
    },
  });
  // An empty list changes nothing, so those that are left are removed by their names.
  if (secrets.length > 0) return;
  for (const { name } of made_with ?? []) await control.deleteSecret({ params: { ...params, name } });
}

interface FieldsProps {
  readonly fields: readonly NewField[];
  readonly form: { readonly values: NewValues; readonly faults: Faults; readonly set: Form['set'] };
}

const Fields = ({ fields, form: { values, faults, set } }: FieldsProps) => (
  <>
    {fields.map(({ field, label, hint, placeholder, isRequired }) => (
      <TextField
        key={field}
        label={label}
        hint={hint}
        placeholder={placeholder}
        required={isRequired}
        fault={faults.fields[field]}
        value={values[field] ?? ''}
        onChange={(event) => set(field, event.target.value)}
      />
    ))}
  </>
);

interface ChoiceFieldProps {
  readonly form: Form;
}

function IntegrationField({ form: { values, set, faults } }: ChoiceFieldProps) {
  const { data = [] } = useQuery(integrationsQuery);
  const field = 'source_config.integration_id';
  return (
    <SelectField
      label="Integration"
      hint={
        <>
          By what a private repository is fetched. <GoTo target={at.settings('integrations')}>Make one</GoTo>
        </>
      }
      fault={faults.fields[field]}
      options={[
        ['', 'None: the repository is public'],
        ...data.map(({ id, name, host }) => [id, `${name} (${host})`] as const),
      ]}
      value={values[field] ?? ''}
      onChange={(event) => set(field, event.target.value)}
    />
  );
}

function ListenerField({ form: { values, set, faults } }: ChoiceFieldProps) {
  const { data } = useQuery(listenersQuery);
  const able = (data ?? []).filter(({ capabilities }) => capabilities.includes('image'));
  const field = 'source_config.listener_id';
  if (data !== undefined && able.length === 0)
    return (
      <p className="border-l-4 border-warn bg-warn-soft px-3 py-2">
        Nothing here runs images: a listener with containers or a cluster does.{' '}
        <GoTo target={at.settings('listeners')}>Join one</GoTo>
      </p>
    );
  return (
    <SelectField
      label="Where it runs"
      fault={faults.fields[field]}
      options={[
        ['', 'The only listener that can'],
        ...able.map(({ id, compute_id, compute_type }) => [id, `${compute_id} (${compute_type})`] as const),
      ]}
      value={values[field] ?? ''}
      onChange={(event) => set(field, event.target.value)}
    />
  );
}
