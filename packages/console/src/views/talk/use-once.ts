import { useRef, useState } from 'react';

/** Does one thing at a time: whoever asks again meanwhile waits for what is done already. */
export function useOnce() {
  const [isBusy, setBusy] = useState(false);
  const pending = useRef<Promise<void>>(undefined);
  const once = (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    pending.current ??= act().finally(() => {
      pending.current = undefined;
      setBusy(false);
    });
    return pending.current;
  };
  return { isBusy, once };
}
