import { at } from '../router/addresses.ts';
import { Empty } from '../ui/answers.tsx';
import { GoTo } from '../ui/link.tsx';

export const MissingPage = () => (
  <Empty title="There is no such page">
    <p>
      The address may be mistyped, or what it named was removed.{' '}
      <GoTo target={at.home()}>Go to the start</GoTo>.
    </p>
  </Empty>
);
