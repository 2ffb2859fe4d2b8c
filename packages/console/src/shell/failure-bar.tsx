import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { useAskAgain, useHiddenFailures } from '../ui/failed-reads.ts';

/** Says that a part of the page is missing or old where nothing within the page does, and asks for it again. */
export function FailureBar() {
  const failures = useHiddenFailures();
  const askAgain = useAskAgain();
  // What is asked for again fails no more, and not yet: the bar stays, and the focus with it.
  const [asked_again, setAskedAgain] = useState('');
  const again = () => {
    if (asked_again !== '') return;
    setAskedAgain(failures);
    void askAgain().finally(() => setAskedAgain(''));
  };
  const shown = failures === '' ? asked_again : failures;
  return (
    shown !== '' && (
      <div
        role="alert"
        className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-bad bg-bad-soft px-4 py-1.5 text-bad"
      >
        <p className="min-w-0 flex-1 wrap-anywhere">{shown}</p>
        <Button small onClick={again}>
          Try again
        </Button>
      </div>
    )
  );
}
