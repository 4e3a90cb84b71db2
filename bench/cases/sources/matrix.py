import math
import random


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]
        if not self.rows or not self.rows[0]:
            raise ValueError("a matrix must not be empty")
        width = len(self.rows[0])
        if any(len(row) != width for row in self.rows):
            raise ValueError("all rows must have the same length")

    @classmethod
    def zeros(cls, height, width):
        return cls([[0.0] * width for _ in range(height)])

    @classmethod
    def identity(cls, size):
        result = cls.zeros(size, size)
        for i in range(size):
            result.rows[i][i] = 1.0
        return result

    @classmethod
    def random(cls, height, width, seed=None):
        generator = random.Random(seed)
        return cls([[generator.gauss(0.0, 1.0) for _ in range(width)] for _ in range(height)])

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __eq__(self, other):
        return isinstance(other, Matrix) and self.rows == other.rows

    def __repr__(self):
        return f"Matrix({self.rows!r})"

    def __getitem__(self, index):
        row, column = index
        return self.rows[row][column]

    def __add__(self, other):
        if self.shape != other.shape:
            raise ValueError("shapes do not match")
        return Matrix(
            [[a + b for a, b in zip(left, right)] for left, right in zip(self.rows, other.rows)]
        )

    def __mul__(self, factor):
        return Matrix([[value * factor for value in row] for row in self.rows])

    def __matmul__(self, other):
        height, inner = self.shape
        other_height, width = other.shape
        if inner != other_height:
            raise ValueError("shapes do not match")
        result = Matrix.zeros(height, width)
        for i in range(height):
            for j in range(width):
                result.rows[i][j] = sum(self.rows[i][k] * other.rows[k][j] for k in range(inner))
        return result

    def transpose(self):
        return Matrix(zip(*self.rows))

    def norm(self):
        return math.sqrt(sum(value * value for row in self.rows for value in row))

    def map(self, function):
        return Matrix([[function(value) for value in row] for row in self.rows])

    def determinant(self):
        height, width = self.shape
        if height != width:
            raise ValueError("only square matrices have a determinant")
        rows = [row[:] for row in self.rows]
        result = 1.0
        for column in range(width):
            pivot = max(range(column, height), key=lambda row: abs(rows[row][column]))
            if rows[pivot][column] == 0.0:
                return 0.0
            if pivot != column:
                rows[pivot], rows[column] = rows[column], rows[pivot]
                result = -result
            result *= rows[column][column]
            for row in range(column + 1, height):
                factor = rows[row][column] / rows[column][column]
                for k in range(column, width):
                    rows[row][k] -= factor * rows[column][k]
        return result
