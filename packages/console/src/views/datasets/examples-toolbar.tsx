import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { traces } from '../../api/clients.ts';
import type { Dataset } from '../../api/datasets.ts';
import { download } from '../../api/downloads.ts';
import { mayDo } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ListSearchBox } from '../../ui/list-search-box.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say } from '../../ui/toasts.tsx';
import { instant } from '../../words/time-rules.ts';
import { useDatasetChange, useDatasetSearch } from './dataset-search.ts';
import { splitsQuery, versionDiffQuery, versionsQuery } from './example-queries.ts';

interface ToolbarProps {
  readonly dataset: Dataset;
  readonly onImport: () => void;
  readonly onAdd: () => void;
}

/** Chooses the version, the split and the words; adds, imports and exports. */
export function ExamplesToolbar({ dataset, onImport, onAdd }: ToolbarProps) {
  const { version, split, q } = useDatasetSearch();
  const change = useDatasetChange();
  const [isTagging, setTagging] = useState(false);
  const splits = useQuery(splitsQuery(dataset.id));
  const exported = (format: string, ending: string) => () =>
    void download({
      path: `/datasets/${dataset.id}/${format}${version === undefined ? '' : `?as_of=${encodeURIComponent(version)}`}`,
      name: `${dataset.name}.${ending}`,
    }).catch((error: Error) => say({ kind: 'error', text: error.message }));
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line bg-card px-4 py-2">
      <ListSearchBox label="Search examples" value={q} onSearch={(words) => change({ q: words })} />
      <Choice
        label="Split"
        value={split ?? ''}
        onChange={(value) => change({ split: value || undefined })}
        options={[['', 'All splits'], ...(splits.data ?? []).map((name) => [name, name] as const)]}
      />
      <VersionChoice dataset={dataset.id} />
      {mayDo('datasets:write') && (
        <Button small look="quiet" onClick={() => setTagging(true)}>
          Tag this version
        </Button>
      )}
      <div className="ml-auto flex gap-2">
        <Menu
          label="Export"
          items={[
            { label: 'As CSV', onSelect: exported('csv', 'csv') },
            { label: 'As JSONL', onSelect: exported('jsonl', 'jsonl') },
            { label: 'As JSONL for OpenAI fine-tuning', onSelect: exported('openai_ft', 'jsonl') },
          ]}
        >
          Export <Icon name="down" className="size-3" />
        </Menu>
        <Button needs="datasets:write" onClick={onImport}>
          Import
        </Button>
        <Button needs="datasets:write" look="main" onClick={onAdd}>
          <Icon name="plus" /> Add
        </Button>
      </div>
      {version !== undefined && <SinceVersion dataset={dataset.id} version={version} />}
      {isTagging && (
        <TagDialog dataset={dataset.id} version={version ?? 'latest'} onClose={() => setTagging(false)} />
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, label: string])[];
}

export const Choice = ({ label, value, onChange, options }: ChoiceProps) => (
  <select
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className="min-h-8 max-w-56 rounded-md border border-line bg-card px-2.5 py-1 text-ink"
  >
    {options.map(([one, text]) => (
      <option key={one} value={one}>
        {text}
      </option>
    ))}
  </select>
);

function VersionChoice({ dataset }: { readonly dataset: string }) {
  const { version } = useDatasetSearch();
  const change = useDatasetChange();
  const versions = useQuery(versionsQuery(dataset));
  const found = (versions.data ?? []).map(({ as_of, tags }) => {
    const own = tags.filter((tag) => tag !== 'latest');
    return [as_of, `${instant(as_of)}${own.length > 0 ? ` (${own.join(', ')})` : ''}`] as const;
  });
  const isUnlisted = version !== undefined && found.every(([as_of]) => as_of !== version);
  return (
    <Choice
      label="Version"
      value={version ?? ''}
      onChange={(value) => change({ version: value || undefined, example: undefined })}
      options={[['', 'Newest version'], ...(isUnlisted ? [[version, version] as const] : []), ...found]}
    />
  );
}

interface VersionProps {
  readonly dataset: string;
  readonly version: string;
}

/** What happened since the version that is shown, and the way back. */
function SinceVersion({ dataset, version }: VersionProps) {
  const change = useDatasetChange();
  const diff = useQuery(versionDiffQuery(dataset, version));
  return (
    <p className="w-full text-xs text-quiet">
      An earlier version, which can’t be changed.{' '}
      {diff.data && (
        <>
          Since then {diff.data.examples_added.length} added, {diff.data.examples_modified.length} changed,{' '}
          {diff.data.examples_removed.length} removed.{' '}
        </>
      )}
      <button
        type="button"
        className="text-accent underline"
        onClick={() => change({ version: undefined, example: undefined })}
      >
        Show the newest
      </button>
    </p>
  );
}

function TagDialog({ dataset, version, onClose }: VersionProps & { readonly onClose: () => void }) {
  const [tag, setTag] = useState('');
  const client = useQueryClient();
  const run = async () => {
    const params = { dataset_id: dataset };
    // A tag is put on the exact time of a version; the tag `latest` moves on.
    const { as_of } = await traces.readDatasetVersion({ params, query: { as_of: version } });
    await traces.tagDatasetVersion({ params, body: { as_of, tag } });
    await client.invalidateQueries({ queryKey: ['datasets', 'versions', dataset] });
    say({ text: `Tagged the version of ${instant(as_of)} as ${tag}.` });
  };
  return (
    <FormDialog title="Tag this version" submit="Tag it" isOpen onClose={onClose} onSubmit={run}>
      <TextField
        label="Tag"
        hint="A name such as production. It leaves the version that it was on."
        required
        value={tag}
        onChange={({ target }) => setTag(target.value)}
      />
    </FormDialog>
  );
}
