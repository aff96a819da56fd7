import type pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/**
 * What `DATABASE_URL` says, part by part. Given the URL itself, the client would take its `options` and timeouts in place of those
 * that are added to them.
 */
export const connectionOf = (databaseUrl: string): pg.ClientConfig => parseIntoClientConfig(databaseUrl)
