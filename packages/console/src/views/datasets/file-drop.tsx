import { type DragEvent, type ReactNode, useState } from 'react';
import { mayDo } from '../../session/session.ts';

interface FileDropProps {
  readonly onFile: (file: File) => void;
  readonly children: ReactNode;
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files');

/** Takes a file that is dropped anywhere on the page. */
export function FileDrop({ onFile, children }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  if (!mayDo('datasets:write')) return children;
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file !== undefined) onFile(file);
  };
  return (
    <div
      role="presentation"
      className="relative h-full"
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={drop}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft text-lg font-semibold text-accent">
          Drop the file to import its examples
        </div>
      )}
    </div>
  );
}
