import { Dialog as Base } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useGo } from '../router/go.ts';
import { Icon } from '../ui/icons.tsx';
import { useTyped } from '../ui/use-typed.ts';
import { assistantsQuery, keptQuery } from './kept-places.ts';
import { CONVERSATION, type PlaceAnswer, listed, named, type Place } from './places-rules.ts';
import { placesQuery } from './places.ts';

const nothing: PlaceAnswer = { places: [], unasked: [] };

/** Finds what has these words as its name or id, and says what could not be asked for it. */
function useFoundPlaces(words: string) {
  const typed = useTyped(words);
  const byName = useQuery(placesQuery(typed));
  const { places, unasked } = byName.data ?? nothing;
  const isOfOthers = typed !== words || byName.isPlaceholderData;
  const isFound = isOfOthers || byName.isFetching || places.some(({ kind }) => kind !== CONVERSATION);
  // All agents are asked only for what is nothing else, but perhaps a conversation with one of them.
  const kept = useQuery({ ...keptQuery(words), ...(isFound && { enabled: false }) });
  const assistants = useQuery(assistantsQuery(typed));
  const { places: ofAgents, unasked: unaskedAgents } = assistants.data ?? nothing;
  // Places found for other words are shown, and gone to, only where they have these words, too.
  const all = [...places, ...ofAgents];
  const found = isOfOthers ? named(all, words) : all;
  return {
    places: [...found, ...(kept.data ?? [])],
    gaps: [
      ...[unasked, unaskedAgents].flatMap((names) =>
        names.length > 0 ? [`${listed(names)} could not be asked`] : [],
      ),
      ...(kept.error === null ? [] : [kept.error.message]),
    ],
    isFetching: isOfOthers || byName.isFetching || kept.isFetching || assistants.isFetching,
  };
}

/** Goes to anything by its name or id. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState(0);
  const navigate = useGo();
  const list = useId();
  const { places, gaps, isFetching } = useFoundPlaces(words.trim());
  useEffect(
    () => document.getElementById(`${list}-${chosen}`)?.scrollIntoView({ block: 'nearest' }),
    [list, chosen],
  );
  const go = ({ target }: Place) => {
    onClose();
    navigate(target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const place = places[chosen];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(places.length - 1, chosen + step)));
    } else if (event.key === 'Enter' && place !== undefined) go(place);
  };
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup className="fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-[94vw] max-w-xl -translate-x-1/2 flex-col rounded-lg border border-line bg-raised shadow-xl">
          <Base.Title className="sr-only">Go to …</Base.Title>
          <div className="flex items-center gap-2 border-b border-line px-3">
            <Icon
              name={isFetching ? 'refresh' : 'search'}
              className={isFetching ? 'size-4 animate-spin' : 'size-4'}
            />
            <input
              role="combobox"
              aria-label="Name or id"
              aria-expanded
              aria-controls={list}
              aria-activedescendant={places.length > 0 ? `${list}-${chosen}` : undefined}
              placeholder="Name or id"
              value={words}
              onChange={(event) => {
                setWords(event.target.value);
                setChosen(0);
              }}
              onKeyDown={onKeyDown}
              className="min-h-11 flex-1 bg-transparent outline-none"
            />
          </div>
          <ul id={list} role="listbox" aria-label="Places" className="min-h-0 overflow-y-auto p-1.5">
            {places.map((place, index) => (
              <Option
                key={place.kind + place.id}
                id={`${list}-${index}`}
                place={place}
                isChosen={index === chosen}
                onGo={() => go(place)}
                onPoint={() => setChosen(index)}
              />
            ))}
          </ul>
          {!isFetching && <Gaps isEmpty={places.length === 0} gaps={gaps} />}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface GapsProps {
  readonly isEmpty: boolean;
  readonly gaps: readonly string[];
}

/** Says what is not there, and what could not be asked for it. */
function Gaps({ isEmpty, gaps }: GapsProps) {
  if (gaps.length > 0)
    return (
      <p role="alert" className="p-4 text-bad">
        {gaps.join('; ')}. Type on to ask again.
      </p>
    );
  return isEmpty && <p className="p-4 text-quiet">Nothing has this name or id.</p>;
}

interface OptionProps {
  readonly id: string;
  readonly place: Place;
  readonly isChosen: boolean;
  readonly onGo: () => void;
  readonly onPoint: () => void;
}

const Option = ({ id, place: { name, kind }, isChosen, onGo, onPoint }: OptionProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the box above takes the keys
  <li
    id={id}
    role="option"
    aria-selected={isChosen}
    onClick={onGo}
    onPointerMove={onPoint}
    className="flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 aria-selected:bg-accent-soft"
  >
    <span className="min-w-0 flex-1 truncate">{name}</span>
    <span className="text-xs text-quiet">{kind}</span>
  </li>
);
