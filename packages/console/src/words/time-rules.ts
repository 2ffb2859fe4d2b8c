/** How times are told. */

const [MINUTE_S, HOUR_S, DAY_S] = [60, 3600, 86_400];

/** How long something took: `85 ms`, `1.32 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < MINUTE_S) return `${s.toFixed(s < 10 ? 2 : 1)} s`;
  const whole = Math.round(s);
  if (whole < HOUR_S) return `${Math.floor(whole / MINUTE_S)} min ${whole % MINUTE_S} s`;
  return `${Math.floor(whole / HOUR_S)} h ${Math.floor((whole % HOUR_S) / MINUTE_S)} min`;
}

/** How long ago something was: `just now`, `5 min ago`, `3 h ago`, `12 days ago`; `in 5 min` for what comes. */
export function ago(at_ms: number, now_ms: number): string {
  const s = Math.round((now_ms - at_ms) / 1000);
  if (Math.abs(s) < 5) return 'just now';
  const words = spanWords(Math.abs(s));
  return s > 0 ? `${words} ago` : `in ${words}`;
}

function spanWords(s: number): string {
  if (s < MINUTE_S) return `${s} s`;
  if (s < HOUR_S) return `${Math.floor(s / MINUTE_S)} min`;
  if (s < DAY_S) return `${Math.floor(s / HOUR_S)} h`;
  const days = Math.floor(s / DAY_S);
  return days === 1 ? '1 day' : `${days} days`;
}

const short = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

/** `29 Nov, 19:26:14`, in the time zone of the browser. */
export const instant = (at: string | number): string => short.format(new Date(at));
export const wholeInstant = (at: string | number): string => full.format(new Date(at));

/** The milliseconds between two instants; undefined while the second is not there. */
export function between(begin: string, end: string | null | undefined): number | undefined {
  return end === null || end === undefined ? undefined : Math.max(0, Date.parse(end) - Date.parse(begin));
}
