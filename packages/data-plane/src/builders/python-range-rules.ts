/** Decides whether a range of versions, as PEP 440 writes it, takes some version of a minor one of Python. Pure. */

/** A part that can't be read takes any: the installer reports that itself. */
export function takesMinor(range: string, minor: string): boolean {
  const wanted = numberOf(minor);
  return range.split(',').every((part) => {
    const [, operator = '', version = ''] =
      /^\s*(===?|~=|!=|[<>]=?)\s*(\d+(?:\.(?:\d+|\*))*)/.exec(part) ?? [];
    return comparisons[operator]?.(wanted, version) ?? true;
  });
}

type Comparison = (wanted: number, version: string) => boolean;

const isFrom: Comparison = (wanted, version) => wanted >= numberOf(version);
const isBefore: Comparison = (wanted, version) =>
  wanted < numberOf(version) || (wanted === numberOf(version) && /\.\d+\.0*[1-9]/.test(version));
/** A version without a star is one version, whose last number is 0 where it is not said. */
const isOf: Comparison = (wanted, version) =>
  version === `${Number.parseInt(version, 10)}.*` ||
  (wanted === numberOf(version) && /\.\d+\.(?:\*|\d)/.test(version));

const comparisons: Readonly<Record<string, Comparison>> = {
  '>=': isFrom,
  '>': isFrom,
  // An installed Python has a last number, nearly always above 0.
  '<=': isBefore,
  '<': isBefore,
  '==': isOf,
  '===': isOf,
  '!=': (wanted, version) => !(version.endsWith('.*') && isOf(wanted, version)),
  '~=': (wanted, version) => (/\.\d+\.\d/.test(version) ? isOf(wanted, version) : isFrom(wanted, version)),
};

const minorOf = (version: string) => /^\d+\.(\d+)/.exec(version)?.[1];

/** A number that orders versions up to their minor ones. */
const numberOf = (version: string) => Number.parseInt(version, 10) * 1000 + Number(minorOf(version) ?? 0);
