import { Dialog } from '../ui/dialog.tsx';
import { shortcuts } from '../ui/keys.ts';
import { keyWords } from '../ui/keys-rules.ts';

/** The keys that work on the page that is open. */
export const KeyList = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Keys" isOpen onClose={onClose}>
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
      {[...shortcuts(), ...always].map(({ key, does }) => (
        <div key={key + does} className="contents">
          <dt>
            <kbd className="rounded border border-line bg-sunk px-1.5 py-0.5 font-mono text-xs">
              {keyWords(key, navigator.userAgent)}
            </kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);

const always = [{ key: 'Esc', does: 'Close a dialog' }];
