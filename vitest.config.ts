import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'proto/**/*.test.ts', 'scripts/**/*.test.ts', 'sdk/**/*.test.ts'],
    globalSetup: 'server/tests/support/global-setup.ts',
    // Two cores: more workers than this only wait for each other.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // Real processes on a loaded machine: a test gets a second try, and the report says which one needed it.
    retry: 1,
    passWithNoTests: false,
  },
})
