import { errorsPage } from './errors.ts'
import { eventsPage } from './events.ts'
import { metricsPage } from './metrics.ts'
import { settingsPage } from './settings.ts'

/** A page of `docs/` that is written from the code. */
export type Page = { path: string; render(): string | Promise<string> }

export const pages: Page[] = [settingsPage, metricsPage, eventsPage, errorsPage]
