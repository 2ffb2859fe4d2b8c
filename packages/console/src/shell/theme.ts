/** Light, dark, or as the system says; remembered by this browser. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'roadstead-theme';
export const themes: readonly Theme[] = ['system', 'light', 'dark'];

export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return themes.find((theme) => theme === kept) ?? 'system';
}

export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset['theme'];
    return;
  }
  localStorage.setItem(KEY, theme);
  document.documentElement.dataset['theme'] = theme;
}
