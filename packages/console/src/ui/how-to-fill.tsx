import type { Access } from '@roadstead/contracts';
import { mayDo } from '../session/session.ts';
import { Snippet } from './copy.tsx';

interface FillProps {
  readonly needs: Access;
  /** The button of the page that does the same; absent where the page says so itself. */
  readonly button?: string;
  readonly label: string;
  readonly line: string;
}

/** How somebody fills a list that is empty; who may not is shown no way. */
export const HowToFill = ({ needs, button, label, line }: FillProps) =>
  mayDo(needs) && (
    <>
      <p>
        {button === undefined ? (
          'From a terminal:'
        ) : (
          <>
            Press <b>{button}</b>, or say so from a terminal:
          </>
        )}
      </p>
      <Snippet label={label} text={line} />
    </>
  );
