const AT_ONCE = 8;

/** What all of them give, a few asked at a time. */
export async function inTurns<Item, Found>(
  items: readonly Item[],
  ask: (item: Item) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const left = items.values();
  const found: Found[] = [];
  const work = async () => {
    for (const item of left) found.push(...(await ask(item)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}
