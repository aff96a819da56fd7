import { errorCodes } from '../../server/src/ground/error-codes.ts'
import { describeMetrics } from '../../server/src/operator/telemetry/metrics.ts'
import { allSettings } from '../../server/src/start/config.ts'
import { describeEvents } from '../reference/described-events.ts'
import { readSections } from '../reference/described-settings.ts'
import type { ErrorCodes } from './compare-error-codes.ts'
import type { Events } from './compare-events.ts'
import type { Metric } from './compare-metrics.ts'
import type { KeptSetting, Setting } from './compare-settings.ts'

/** As they are promised. */
export const promisedSettings = (): Record<string, KeptSetting> =>
  mapSettings(({ isSecret, mayBeInFile = false, parse }, standard) => ({
    default: standard,
    isSecret,
    mayBeInFile,
    accepted: parse.accepted,
  }))

/** As they are compared with what was promised. */
export const currentSettings = (): Record<string, Setting> =>
  mapSettings(({ isSecret, mayBeInFile = false, parse }, standard) => ({
    default: standard,
    isSecret,
    mayBeInFile,
    takes: (value: string) => 'value' in parse(value),
  }))

/** By name; the default as text, as `signet.env.example` has it. */
function mapSettings<Made>(make: (setting: (typeof allSettings)[number], standard: string) => Made) {
  const described = readSections().flatMap(({ settings }) => settings)
  const defaults = new Map(described.map(({ name, value }) => [name, value]))
  return Object.fromEntries(allSettings.map((each) => [each.name, make(each, defaults.get(each.name) ?? '')]))
}

/** The statuses of each. */
export const currentErrorCodes = (): ErrorCodes =>
  Object.fromEntries(Object.entries(errorCodes).map(([code, { statuses }]) => [code, [...statuses]]))

export const currentMetrics = (): Record<string, Metric> =>
  Object.fromEntries(describeMetrics().map(({ name, type, labels }) => [name, { type, labels }]))

export function currentEvents(): Events {
  const { events, parts, enums } = describeEvents()
  return {
    messages: Object.fromEntries(
      [...events, ...parts].map(({ name, fields }) => [
        name,
        Object.fromEntries(
          fields.map(({ name, number, type, isRepeated, isOptional }) => [
            name,
            { number, type, ...(isRepeated && { list: true }), ...(isOptional && { optional: true }) },
          ]),
        ),
      ]),
    ),
    enums: Object.fromEntries(
      enums.map(({ name, values }) => [name, Object.fromEntries(values.map((value) => [value.name, value.number]))]),
    ),
  }
}
