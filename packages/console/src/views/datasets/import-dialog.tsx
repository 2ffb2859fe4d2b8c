import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Dataset } from '../../api/datasets.ts';
import { at } from '../../router/addresses.ts';
import { useGo } from '../../router/go.ts';
import { Waiting } from '../../ui/answers.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { say } from '../../ui/toasts.tsx';
import { bytes, share } from '../../words/number-rules.ts';
import { type FileHead, type Part, partOf } from './import-rules.ts';
import { importFile, readHead } from './import-work.ts';

interface ImportDialogProps {
  readonly file: File | undefined;
  /** The dataset that gets the examples; a new one without it. */
  readonly dataset: Dataset | undefined;
  readonly onClose: () => void;
}

/** Imports a file: chooses it, says what its columns are, and sends it piece by piece. */
export function ImportDialog({ file: dropped, dataset, onClose }: ImportDialogProps) {
  const [file, setFile] = useState(dropped);
  const head = useQuery({
    queryKey: ['head of a file', file?.name, file?.size, file?.lastModified],
    queryFn: () => (file === undefined ? null : readHead(file)),
    retry: false,
    gcTime: 0,
  });
  const title = dataset === undefined ? 'Import a dataset' : `Import into ${dataset.name}`;
  if (file !== undefined && head.data)
    return <MappingDialog title={title} file={file} head={head.data} dataset={dataset} onClose={onClose} />;
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <label className="flex flex-col gap-2">
        <span className="font-medium">A .csv or .jsonl file</span>
        <input
          type="file"
          accept=".csv,.jsonl,.ndjson"
          onChange={({ target }) => setFile(target.files?.[0])}
          className="rounded-md border border-dashed border-line p-6 file:mr-3 file:rounded-md file:border file:border-line file:bg-card file:px-3 file:py-1 file:text-ink"
        />
      </label>
      {head.isFetching && file !== undefined && <Waiting what="Reading the file" />}
      {head.error !== null && (
        <p role="alert" className="mt-3 border-l-4 border-bad bg-bad-soft px-3 py-2 text-bad">
          {head.error.message}
        </p>
      )}
      <p className="mt-3 text-quiet">
        The first line of a CSV names its columns. A line of a JSONL file is an object, best with{' '}
        <code>inputs</code> and <code>outputs</code>. You may also drop a file onto the page.
      </p>
    </Dialog>
  );
}

interface MappingDialogProps extends ImportDialogProps {
  readonly title: string;
  readonly file: File;
  readonly head: FileHead;
}

function MappingDialog({ title, file, head, dataset, onClose }: MappingDialogProps) {
  const [name, setName] = useState(file.name.replace(/\.[^.]+$/, ''));
  const [parts, setParts] = useState(
    () => new Map<string, Part>(head.is_ready ? [] : head.columns.map((column) => [column, partOf(column)])),
  );
  const [done, setDone] = useState<number>();
  const [client, go] = [useQueryClient(), useGo()];
  const run = async () => {
    if (!head.is_ready && ![...parts.values()].includes('inputs'))
      throw new Error('Choose at least one column for the inputs.');
    setDone(0);
    const into = dataset === undefined ? { name } : { dataset_id: dataset.id };
    try {
      const id = await importFile({ file, kind: head.kind, parts, into, onProgress: setDone });
      say({ text: `Imported ${file.name}.` });
      go(at.dataset(id));
    } finally {
      setDone(undefined);
      await client.invalidateQueries({ queryKey: ['datasets'] });
    }
  };
  return (
    <FormDialog title={title} submit="Import" wide isOpen onClose={onClose} onSubmit={run}>
      <p className="text-quiet">
        {file.name}, {bytes(file.size)}
      </p>
      {dataset === undefined && (
        <TextField label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
      )}
      {head.is_ready && <p>Each line says itself what its inputs and outputs are.</p>}
      <Preview
        head={head}
        parts={parts}
        onPart={(column, part) => setParts(new Map(parts).set(column, part))}
      />
      {done !== undefined && (
        <p role="status">
          <progress aria-label="Imported" value={done} className="mr-2 align-middle accent-accent" />
          {share(done)} imported
        </p>
      )}
    </FormDialog>
  );
}

const partNames: readonly (readonly [Part, string])[] = [
  ['inputs', 'Inputs'],
  ['outputs', 'Outputs'],
  ['metadata', 'Metadata'],
  ['none', 'Leave out'],
];

interface PreviewProps {
  readonly head: FileHead;
  readonly parts: ReadonlyMap<string, Part>;
  readonly onPart: (column: string, part: Part) => void;
}

/** The first rows, and above each column what it is. */
const Preview = ({ head: { columns, rows }, parts, onPart }: PreviewProps) => (
  <section
    aria-label="First rows of the file"
    tabIndex={0}
    className="overflow-x-auto rounded-md border border-line"
  >
    <table className="w-full text-left text-xs">
      <thead className="bg-sunk">
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col" className="p-2 align-top font-medium">
              <div className="mb-1">{column}</div>
              {parts.has(column) && (
                <select
                  aria-label={`Part of ${column}`}
                  value={parts.get(column)}
                  onChange={({ target }) => onPart(column, target.value as Part)}
                  className="min-h-7 rounded border border-line bg-card px-1"
                >
                  {partNames.map(([part, label]) => (
                    <option key={part} value={part}>
                      {label}
                    </option>
                  ))}
                </select>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have nothing else that names them
          <tr key={index} className="border-t border-line">
            {columns.map((column, place) => (
              <td key={column} className="max-w-60 truncate p-2">
                {(row[place] ?? '').slice(0, 200)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
