import { shownName } from '../../runtime/shown-name.ts'
import { type Language, sentencesIn } from './languages.ts'
import type { SentenceKey } from './sentences/notes.ts'

/** A sentence as HTML, in the language of the page; the values take the place of the names in braces, as text. */
export type Say = (key: SentenceKey, values?: Record<string, string>) => string

export const sayIn =
  (language: Language): Say =>
  (key, values = {}) =>
    sentencesIn(language)
      [key].split(/\{(\w+)\}/)
      .map((part, index) => escapeHtml(index % 2 === 0 ? part : shownName(values[part] ?? '')))
      .join('')

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
