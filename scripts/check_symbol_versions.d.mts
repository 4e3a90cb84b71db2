export function newer(a: string, b: string): boolean;
export function symbolOffences(symbols: string, dynamic: string): { checked: number; offences: string[] };
