/** The deep tests compare every case, others a sample of them. */
export const EVERY_CASE = process.env['EMBERLINE_EVERY_CASE'] === '1';
