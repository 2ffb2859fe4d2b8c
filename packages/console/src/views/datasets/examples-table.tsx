import { type ReactNode, useMemo, useState } from 'react';
import type { Example } from '../../api/datasets.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Tag } from '../../ui/status.tsx';
import { Ago } from '../../ui/time.tsx';
import { brief } from '../../words/value-rules.ts';
import { CellEditor, type EditedCell } from './cell-editor.tsx';
import { ownMetadata, splitsOf } from './example-rules.ts';

interface ExamplesTableProps {
  readonly dataset: string;
  readonly rows: readonly Example[];
  readonly marked: ReadonlySet<string>;
  readonly onMark: (marked: ReadonlySet<string>) => void;
  readonly isReadOnly: boolean;
  readonly onOpen: (example: Example) => void;
  readonly selected: string | undefined;
  readonly onEnd: (() => void) | undefined;
  readonly footer: ReactNode;
}

/** Examples, whose values are edited in place. */
export function ExamplesTable({ dataset, marked, onMark, isReadOnly, ...table }: ExamplesTableProps) {
  const [edited, setEdited] = useState<EditedCell>();
  const columns = useMemo(
    () => [markColumn(marked, onMark), ...columnsOf(isReadOnly ? undefined : setEdited)],
    [marked, onMark, isReadOnly, setEdited],
  );
  return (
    <>
      <DataTable label="Examples" columns={columns} keyOf={({ id }) => id} row_height={44} {...table} />
      {edited && (
        <CellEditor
          key={`${edited.example.id} ${edited.field}`}
          dataset={dataset}
          cell={edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

const markColumn = (
  marked: ReadonlySet<string>,
  setMarked: (marked: ReadonlySet<string>) => void,
): Column<Example> => ({
  id: 'mark',
  header: '',
  width: '1.5rem',
  cell: ({ id, inputs }) => (
    <input
      type="checkbox"
      aria-label={`Mark ${brief(inputs, 40) || id}`}
      checked={marked.has(id)}
      onChange={({ target }) => {
        const next = new Set(marked);
        if (target.checked) next.add(id);
        else next.delete(id);
        setMarked(next);
      }}
      className="size-4 align-middle accent-accent"
    />
  ),
});

type Edit = (cell: EditedCell) => void;

const columnsOf = (edit: Edit | undefined): readonly Column<Example>[] => [
  valueColumn('inputs', edit),
  valueColumn('outputs', edit),
  valueColumn('metadata', edit),
  valueColumn('splits', edit),
  {
    id: 'changed',
    header: 'Changed',
    width: '6.5rem',
    cell: ({ modified_at }) => <Ago at={modified_at} />,
  },
];

const looks: Readonly<Record<EditedCell['field'], Omit<Column<Example>, 'id'>>> = {
  inputs: { header: 'Inputs', width: 'minmax(10rem, 3fr)', cell: ({ inputs }) => brief(inputs) },
  outputs: { header: 'Outputs', width: 'minmax(10rem, 3fr)', cell: ({ outputs }) => brief(outputs) },
  metadata: {
    header: 'Metadata',
    width: 'minmax(7rem, 1fr)',
    cell: (example) => <span className="text-quiet">{brief(ownMetadata(example))}</span>,
  },
  splits: {
    header: 'Splits',
    width: '8rem',
    cell: (example) => splitsOf(example).map((split) => <Tag key={split}>{split}</Tag>),
  },
};

/** A column whose values have a pencil, where they may be edited. */
function valueColumn(field: EditedCell['field'], edit: Edit | undefined): Column<Example> {
  const look = looks[field];
  if (edit === undefined) return { id: field, ...look };
  return {
    id: field,
    ...look,
    cell: (example) => (
      <div className="group/cell flex items-center gap-1">
        <span className="min-w-0 flex-1 truncate">{look.cell(example)}</span>
        <button
          type="button"
          aria-label={`Edit the ${look.header.toLowerCase()} of ${brief(example.inputs, 40) || example.id}`}
          title={`Edit the ${look.header.toLowerCase()}`}
          onClick={({ currentTarget }) => edit({ example, field, anchor: currentTarget })}
          className="rounded p-1 text-quiet opacity-0 group-hover/cell:opacity-100 hover:bg-card hover:text-ink focus-visible:opacity-100 [@media(hover:none)]:opacity-100"
        >
          <Icon name="pen" className="size-3.5" />
        </button>
      </div>
    ),
  };
}
