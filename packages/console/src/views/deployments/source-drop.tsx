import { type DragEvent, useId, useState } from 'react';
import { bytes, count } from '../../words/number-rules.ts';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icons.tsx';
import { packChosen, packDropped, type PackedSource, packFile } from './pack-source.ts';

interface SourceDropProps {
  readonly label: string;
  readonly packed: PackedSource | undefined;
  readonly onPacked: (packed: PackedSource | undefined) => void;
}

/** Takes a folder or an archive: dropped here, or chosen. */
export function SourceDrop({ label, packed, onPacked }: SourceDropProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const [state, setState] = useState<{ readonly busy: boolean; readonly fault?: string }>({ busy: false });
  const take = async (packing: Promise<PackedSource>) => {
    setState({ busy: true });
    try {
      onPacked(await packing);
      setState({ busy: false });
    } catch (error) {
      onPacked(undefined);
      setState({ busy: false, fault: error instanceof Error ? error.message : String(error) });
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(packDropped(event.dataTransfer));
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- what is dropped can be chosen by buttons, too
    <fieldset
      aria-describedby={`${id}-state`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classes(
        'flex flex-col items-center gap-3 rounded-md border-2 border-dashed px-4 py-6 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-line',
      )}
    >
      <legend className="px-1 font-medium">{label}</legend>
      <p className="text-quiet">Drop a folder or a .tar.gz here, or</p>
      <div className="flex flex-wrap justify-center gap-2">
        <FileChoice label="Choose a folder" isFolder onFiles={(files) => void take(packChosen(files))} />
        <FileChoice label="Choose an archive" onFiles={(files) => void take(packFile(files[0]))} />
      </div>
      <div id={`${id}-state`} role="status" className="max-w-full text-xs">
        {state.busy && <p className="text-quiet">Packing …</p>}
        {!state.busy && packed !== undefined && <Packed packed={packed} />}
        {state.fault !== undefined && <p className="wrap-anywhere text-bad">{state.fault}</p>}
      </div>
    </fieldset>
  );
}

const SHOWN = 5;

const Packed = ({ packed: { name, files, archive, left_out } }: { readonly packed: PackedSource }) => (
  <>
    <p className="font-medium">
      <Icon name="check" className="inline size-3.5 text-good" /> {name}
      {files !== undefined && `: ${count(files)} ${files === 1 ? 'file' : 'files'}`}, {bytes(archive.size)}
    </p>
    {left_out.length > 0 && (
      <p className="wrap-anywhere text-quiet">
        Left out {left_out.slice(0, SHOWN).join('; ')}
        {left_out.length > SHOWN && ` and ${left_out.length - SHOWN} more`}.
      </p>
    )}
  </>
);

interface FileChoiceProps {
  readonly label: string;
  readonly isFolder?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
}

const FileChoice = ({ label, isFolder = false, onFiles }: FileChoiceProps) => (
  <label className="cursor-pointer rounded-md border border-line bg-card px-3 py-1 font-medium focus-within:outline-2 focus-within:outline-accent hover:bg-sunk">
    {label}
    <input
      type="file"
      aria-label={label}
      className="sr-only"
      {...(isFolder ? { webkitdirectory: '' } : { accept: '.tar.gz,.tgz,application/gzip' })}
      onChange={({ target }) => {
        const files = [...(target.files ?? [])];
        target.value = '';
        if (files.length > 0) onFiles(files);
      }}
    />
  </label>
);
