import { SearchBox } from './fields.tsx';
import { useAddressText } from './use-address-text.ts';

interface ListSearchBoxProps {
  readonly label: string;
  /** The words in the address. */
  readonly value: string | undefined;
  readonly onSearch: (words: string | undefined) => void;
  readonly className?: string;
}

/** A box that searches a list by words in the address. */
export function ListSearchBox({ label, value = '', onSearch, className }: ListSearchBoxProps) {
  const [text, setText] = useAddressText(value, onSearch);
  return (
    <SearchBox
      label={label}
      className={className}
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  );
}
