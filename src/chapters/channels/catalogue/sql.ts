// A database with its statements: each text is prepared once. Synchronous, in the catalogue's thread.

import type Database from 'better-sqlite3'

/** What statements take. */
export type SqlValue = string | number | bigint | Uint8Array | null

/** An open database. */
export class Sql {
  readonly database: Database.Database
  readonly #statements = new Map<string, Database.Statement<SqlValue[]>>()
  readonly #plucked = new Map<string, Database.Statement<SqlValue[]>>()

  constructor(database: Database.Database) {
    this.database = database
  }

  /** The first row, as the caller knows it. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  get<Row>(text: string, ...values: SqlValue[]): Row | undefined {
    return this.#statement(text).get(...values) as Row | undefined
  }

  /** All rows. */
  all<Row>(text: string, ...values: SqlValue[]): Row[] {
    return this.#statement(text).all(...values) as Row[]
  }

  /** The first column of the first row. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  value<Value extends SqlValue>(text: string, ...values: SqlValue[]): Value | undefined {
    return this.#pluck(text).get(...values) as Value | undefined
  }

  /** The first column of all rows. */
  values<Value extends SqlValue>(text: string, ...values: SqlValue[]): Value[] {
    return this.#pluck(text).all(...values) as Value[]
  }

  /** How many rows it changed. */
  run(text: string, ...values: SqlValue[]): number {
    return this.#statement(text).run(...values).changes
  }

  /** The id of the row it made. */
  insert(text: string, ...values: SqlValue[]): number {
    return Number(this.#statement(text).run(...values).lastInsertRowid)
  }

  #statement(text: string): Database.Statement<SqlValue[]> {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.database.prepare(text)
      this.#statements.set(text, statement)
    }
    return statement
  }

  #pluck(text: string): Database.Statement<SqlValue[]> {
    let statement = this.#plucked.get(text)
    if (statement === undefined) {
      statement = this.database.prepare<SqlValue[]>(text).pluck()
      this.#plucked.set(text, statement)
    }
    return statement
  }
}
