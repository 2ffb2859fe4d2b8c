import { Mood } from './mood';

export function speak(text: string, mood: Mood): string {
  return mood === Mood.Loud ? text.toUpperCase() : text;
}
