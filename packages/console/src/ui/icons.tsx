import type { ComponentProps } from 'react';

/** Lines on a grid of 24, drawn for this console. */
const paths = {
  home: 'M4 11 12 4l8 7v9h-5v-6H9v6H4z',
  boxes: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  talk: 'M4 5h16v11H9l-5 4z',
  inbox: 'M4 13 7 5h10l3 8v6H4zM4 13h5l1 2h4l1-2h5',
  trace: 'M4 6h9M8 12h9M12 18h8M4 12h1M4 18h5M17 6h3',
  chart: 'M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-3',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1 1H5zM10 20h4',
  table: 'M4 5h16v14H4zM4 10h16M10 10v9',
  check: 'm5 13 4 4L19 7',
  pen: 'M5 19l1-4L16 5l3 3L9 18z',
  play: 'M7 5v14l11-7z',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM12 3v3M12 18v3M3 12h3M18 12h3M5.600 5.600l2.100 2.100M16.300 16.300l2.100 2.100M5.600 18.400l2.100-2.100M16.300 7.700l2.100-2.100',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13ZM15.500 15.500 20 20',
  copy: 'M8 8h11v12H8zM5 16V4h11',
  close: 'M6 6l12 12M18 6 6 18',
  chevron: 'm9 5 7 7-7 7',
  down: 'm5 9 7 7 7-7',
  plus: 'M12 5v14M5 12h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500 19 19M5 19l1.500-1.500M17.500 6.500 19 5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  warn: 'M12 4 2.500 20h19zM12 10v5M12 17.500h.01',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4l3 2',
  people:
    'M9 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7ZM3 20c0-4 2.500-6 6-6s6 2 6 6M16 5.500a3 3 0 0 1 0 6M18 14.500c2 .8 3 2.700 3 5.500',
  stop: 'M6 6h12v12H6z',
  refresh: 'M19 8a8 8 0 1 0 1 6M20 4v5h-5',
  key: 'M8 9a4 4 0 1 0 0 6 4 4 0 0 0 0-6ZM11 12h10v4M17 12v3',
  back: 'm14 5-7 7 7 7',
} as const;
export type IconName = keyof typeof paths;

interface IconProps extends ComponentProps<'svg'> {
  readonly name: IconName;
}

/** Is decoration: what it means is said beside it, or by the label of its button. */
export const Icon = ({ name, className = 'size-4', ...rest }: IconProps) => (
  <svg
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.8"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={`shrink-0 ${className}`}
    {...rest}
  >
    <path d={paths[name]} />
  </svg>
);
